extends RefCounted
## The asks and choices that have not ended, and how each of them ends exactly once.

const ChoiceReader := preload("choice_reader.gd")
const Fields := preload("../wire/fields.gd")
const LineReader := preload("line_reader.gd")
const Roster := preload("roster.gd")
const Template := preload("template.gd")

## How long after its deadline an ask is ended by the client itself.
const GRACE_MS := 250
## The same for an ask without a deadline, after it was asked.
const NO_DEADLINE_MS := 30_000

## All of them, in the order in which they were asked.
var open: Array[PalaverRequest] = []
## Ids of the characters with asks that the sidecar works on, and how many.
var busy: Dictionary[String, int] = {}

var _roster: Roster
var _sent: Dictionary[int, PalaverRequest] = {}
# Asks that ended here before the sidecar said anything, and whether it may have remembered the turn all the same.
var _abandoned: Dictionary[int, PalaverRequest] = {}


func _init(roster: Roster) -> void:
	_roster = roster


## The open ask that was sent as [param request]; null if there is none.
func sent_as(request: int) -> PalaverRequest:
	return _sent.get(request)


## The ask that was sent as [param request] and whose answer is still to come, ended here or not; null if none is.
func answer_to_come(request: int) -> PalaverRequest:
	return _sent.get(request, _abandoned.get(request))


## Note that the sidecar works on an ask now.
func note_sent(given: PalaverRequest, request: int) -> void:
	given.request = request
	_sent[request] = given
	busy[given.npc_id] = busy.get(given.npc_id, 0) + 1


## The connection is lost: all asks have to be sent again.
func note_lost() -> void:
	for given: PalaverRequest in open:
		given.request = 0
	_sent.clear()
	busy.clear()
	_abandoned.clear()


## The open asks of one character.
func of(npc_id: String) -> Array[PalaverRequest]:
	return open.filter(func(given: PalaverRequest) -> bool: return given.npc_id == npc_id)


## The asks that nothing will come to any more: it is too late, or they were doomed.
func hopeless(now_ms: int) -> Array[PalaverRequest]:
	var found: Array[PalaverRequest] = []
	for given: PalaverRequest in open:
		if not given.failure_code.is_empty() or now_ms - given.asked_ms >= limit_ms(given):
			found.append(given)
	return found


## An ask cannot succeed. It ends with the next poll: one that ended inside of the asking would make a game hang that
## asks again and again.
func doom(given: PalaverRequest, code: String, message: String) -> void:
	given.failure_code = code
	given.failure = message


## How long the line of an ask may take before the client ends it itself.
static func limit_ms(given: PalaverRequest) -> int:
	var deadline_ms := given.deadline_ms()
	return deadline_ms + GRACE_MS if deadline_ms > 0 else NO_DEADLINE_MS


## Whether the sidecar works on an ask. From now on its answer is not waited for.
func abandon(given: PalaverRequest) -> bool:
	if not _sent.has(given.request):
		return false
	_abandoned[given.request] = given
	return true


## The turns of a character are replaced: what may still come of its abandoned asks belongs to the old ones.
func forget_abandoned(npc_id: String) -> void:
	for given: PalaverRequest in _abandoned.values():
		if given.npc_id == npc_id:
			_abandoned.erase(given.request)


## The ask that ended here before the answer to [param request] came; null if there is none. It is forgotten.
func take_abandoned(request: int) -> PalaverRequest:
	var given: PalaverRequest = _abandoned.get(request)
	var _was_there := _abandoned.erase(request)
	return given


## Remember the turn of a line, as the sidecar does.
func remember(ask: PalaverAsk, line: PalaverLine) -> void:
	if line.source != PalaverLine.Source.FALLBACK and ask.options.get("record") != false:
		_roster.record(ask.npc_id).remember(ask.text, line.plain_text)


## End an ask with the sidecar's line.
func finish(ask: PalaverAsk, line: PalaverLine) -> void:
	remember(ask, line)
	_roster.record(ask.npc_id).note_said(line.text)
	_end_ask(ask, line)


## End a choice with the sidecar's.
func settle(choosing: PalaverChoosing, choice: PalaverChoice) -> void:
	_end_choosing(choosing, choice)


## End an ask with a line that was written beforehand, or a choice with the first answer.
func fail(given: PalaverRequest, code: String, message: String) -> void:
	doom(given, code, message)
	if given is PalaverChoosing:
		var choosing: PalaverChoosing = given
		_end_choosing(choosing, ChoiceReader.fallback(choosing, code))
	else:
		var ask: PalaverAsk = given
		_end_ask(ask, LineReader.fallback(ask, _text_written_beforehand(ask), code))


## End an ask without a line, or a choice without one of the answers.
func cancel(given: PalaverRequest) -> void:
	if given is PalaverChoosing:
		var choosing: PalaverChoosing = given
		_end_choosing(choosing, ChoiceReader.cancelled(choosing))
	else:
		var ask: PalaverAsk = given
		_end_ask(ask, LineReader.cancelled(ask))


func _text_written_beforehand(ask: PalaverAsk) -> String:
	var authored := _roster.record(ask.npc_id).fallback_text(Fields.text(ask.options, "situation"))
	var phrases := Fields.texts(ask.options, "must_include")
	return Template.written_beforehand(Fields.text(ask.options, "template"), phrases, authored)


func _end_ask(ask: PalaverAsk, line: PalaverLine) -> void:
	_close(ask, line.source == PalaverLine.Source.CANCELLED)
	ask.line = line
	ask.ended.emit(line)


func _end_choosing(choosing: PalaverChoosing, choice: PalaverChoice) -> void:
	_close(choosing, choice.source == PalaverChoice.Source.CANCELLED)
	choosing.choice = choice
	choosing.ended.emit(choice)


func _close(given: PalaverRequest, is_cancelled: bool) -> void:
	open.erase(given)
	if _sent.erase(given.request):
		busy[given.npc_id] -= 1
		if busy[given.npc_id] == 0:
			busy.erase(given.npc_id)
	given.state = PalaverRequest.State.CANCELLED if is_cancelled else PalaverRequest.State.ENDED
