extends RefCounted
## What a writer has settled of a line, as far as it can be said without the model.
##
## [code]Bring me {*} by {*1-4=nightfall}.[/code] has words that stand as they are, and gaps: [code]{*}[/code] of any
## length, [code]{*3}[/code] of three tokens, [code]{*2-6}[/code] of two to six; behind an equals sign stands what is
## said there without the model. [code]{{[/code] and [code]}}[/code] are braces.


class Part:
	extends RefCounted
	## Words that stand as they are, or a gap between them.

	## The words, or what is said in the gap without the model.
	var text := ""
	## Whether the model fills it.
	var is_gap := false
	## Of a gap: any number of tokens.
	var is_free := false
	## Of a gap: it may be left empty.
	var may_be_empty := false
	## Of words: a phrase that a gap was split for, to be parted from its neighbours.
	var is_phrase := false


const MAX_GAPS := 16
const MAX_GAP_TOKENS := 64
const NOTHING_TO_SAY := "..."

const _SENTENCE_ENDS := ".!?\u2026\u3002\uff01\uff1f"
## The first and last characters of what East Asian scripts write as wide as two letters, and without spaces between.
const _WIDE: Array[int] = [
	0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0x33FF, 0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xA000, 0xA4C6, 0xA960, 0xA97C,
	0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6B, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x20000, 0x3FFFD,
]

static var _gap := RegEx.create_from_string("\\{\\*(?:([0-9]{1,4})(?:-([0-9]{1,4}))?)?(?:=([^{}]+))?\\}")
static var _letter := RegEx.create_from_string("[\\p{L}\\p{N}]")

## Words and gaps in their order.
var parts: Array[Part] = []
## What is wrong with the template, in a sentence; empty if nothing is.
var problem := ""


## Reads a template; an empty one is a single gap. The line has to hold all of [param phrases] too: those that are not
## among its words stand in its first gap of any length.
func _init(text: String, phrases: PackedStringArray) -> void:
	_read("{*}" if text.is_empty() else text)
	if problem.is_empty():
		_include(phrases)


## What a character says without the model: the template with its defaults, or [param authored] with the phrases that
## it lacks behind it where there is no template, or none that can be read.
static func written_beforehand(template: String, phrases: PackedStringArray, authored: String) -> String:
	if not template.is_empty():
		var read := new(template, phrases)
		if read.problem.is_empty():
			return read.with_defaults()
	var line := authored
	for phrase: String in _wanted(phrases):
		if not phrase in line:
			var ended := phrase.right(1) in _SENTENCE_ENDS
			line = "%s %s%s" % [line.strip_edges(false, true), phrase, "" if ended else "."]
	return line


## The line with the defaults in its gaps, and "..." in those that have none.
func with_defaults() -> String:
	var said := ""
	for index: int in parts.size():
		var part := parts[index]
		if not part.is_gap:
			said += part.text
			continue
		var is_last := index == parts.size() - 1
		var is_behind_phrase := index > 0 and parts[index - 1].is_phrase
		var is_before_phrase := not is_last and parts[index + 1].is_phrase
		var words := part.text.strip_edges()
		if part.text.is_empty() and not part.may_be_empty:
			words = _dots_before("" if is_last else parts[index + 1].text)
		said += words
		if is_before_phrase and (is_behind_phrase or not words.is_empty() and not _is_wide(words.right(1))):
			said += " "
		elif is_behind_phrase and is_last and _letter.search(said.right(1)) != null:
			said += "."
	return said


func _read(text: String) -> void:
	var pinned := ""
	var at := 0
	while at < text.length() and problem.is_empty():
		var two := text.substr(at, 2)
		var found := _gap.search(text, at) if text[at] == "{" and two != "{{" else null
		if two == "{{" or two == "}}":
			pinned += text[at]
			at += 2
		elif found != null and found.get_start() == at:
			_add_words(pinned)
			if _ends_with_gap(pinned):
				_fail(at, "two gaps have no words between them")
			_add_gap(found)
			pinned = ""
			at = found.get_end()
		elif text[at] in "{}":
			_fail(at, "a brace that is no gap and not doubled")
		else:
			pinned += text[at]
			at += 1
	_add_words(pinned)
	_count_gaps()


func _add_words(text: String) -> void:
	if not text.is_empty():
		var words := Part.new()
		words.text = text
		parts.append(words)


## Whether the last thing that is more than white space, [param pinned], is a gap.
func _ends_with_gap(pinned: String) -> bool:
	if parts.is_empty():
		return false
	return parts[-1].is_gap or parts.size() > 1 and pinned.strip_edges().is_empty()


func _add_gap(found: RegExMatch) -> void:
	var gap := Part.new()
	gap.is_gap = true
	gap.text = found.get_string(3)
	if not gap.text.is_empty() and gap.text.strip_edges().is_empty():
		_fail(found.get_start(), "a default has words")
	gap.is_free = found.get_string(1).is_empty()
	if not gap.is_free:
		var fewest := found.get_string(1).to_int()
		var most := fewest if found.get_string(2).is_empty() else found.get_string(2).to_int()
		if fewest < 1 or fewest > most or most > MAX_GAP_TOKENS:
			_fail(found.get_start(), "a gap has 1 to %d tokens, the fewest first" % MAX_GAP_TOKENS)
	parts.append(gap)


func _count_gaps() -> void:
	var gaps := parts.filter(func(part: Part) -> bool: return part.is_gap).size()
	if problem.is_empty() and (gaps < 1 or gaps > MAX_GAPS):
		problem = "The template has %d gaps, 1 to %d are allowed." % [gaps, MAX_GAPS]
	elif problem.is_empty() and gaps > 1 and parts[-1].is_free:
		# Where other gaps have words already, the model may leave it at that.
		parts[-1].may_be_empty = true


func _include(phrases: PackedStringArray) -> void:
	var missing: Array[String] = []
	for phrase: String in _wanted(phrases):
		if not parts.any(func(part: Part) -> bool: return not part.is_gap and phrase in part.text):
			missing.append(phrase)
	if missing.is_empty():
		return
	var at := parts.find_custom(func(part: Part) -> bool: return part.is_free)
	if at < 0:
		problem = "The template has no gap of any length that '%s' could stand in." % missing[0].left(40)
		return
	parts[at].may_be_empty = true
	for index: int in missing.size():
		var phrase := Part.new()
		phrase.text = missing[index]
		phrase.is_phrase = true
		var rest := Part.new()
		rest.is_gap = true
		rest.may_be_empty = true
		parts.insert(at + 1 + 2 * index, phrase)
		parts.insert(at + 2 + 2 * index, rest)


## The phrases without white space around them, each once, and none that another one holds.
static func _wanted(phrases: PackedStringArray) -> PackedStringArray:
	var different := PackedStringArray()
	for given: String in phrases:
		var phrase := given.strip_edges()
		if not phrase.is_empty() and not phrase in different:
			var _is_full := different.append(phrase)
	var wanted := PackedStringArray()
	for phrase: String in different:
		var is_held := false
		for other: String in different:
			is_held = is_held or other != phrase and phrase in other
		if not is_held:
			var _is_full := wanted.append(phrase)
	return wanted


## "...", less the full stops or the ellipsis that stand behind it anyway.
static func _dots_before(behind: String) -> String:
	if behind.begins_with("\u2026"):
		return ""
	return NOTHING_TO_SAY.substr(behind.length() - behind.lstrip(".").length())


func _fail(at: int, what: String) -> void:
	if problem.is_empty():
		problem = "The template, character %d: %s." % [at + 1, what]


static func _is_wide(letter: String) -> bool:
	var code := letter.unicode_at(0)
	for index: int in range(0, _WIDE.size(), 2):
		if code >= _WIDE[index] and code <= _WIDE[index + 1]:
			return true
	return false
