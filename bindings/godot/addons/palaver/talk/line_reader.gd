extends RefCounted
## Lines and drafts out of the sidecar's messages, and the lines that the addon makes itself.

const Fields := preload("../wire/fields.gd")


## The line of a [code]line[/code] message.
static func line(ask: PalaverAsk, fields: Dictionary) -> PalaverLine:
	var read := _line_for(ask)
	read.text = Fields.text(fields, "text")
	var source: int = ["model", "draft", "fallback"].find(Fields.text(fields, "source"))
	read.source = source as PalaverLine.Source
	read.finish_reason = Fields.text(fields, "finish_reason")
	read.seed = Fields.whole(fields, "seed")
	read.steps_planned = Fields.whole(fields, "steps_planned")
	read.steps_done = Fields.whole(fields, "steps_done")
	read.canvases = Fields.whole(fields, "canvases")
	read.tokens = Fields.whole(fields, "tokens")
	read.rerolls = Fields.whole(fields, "rerolls")
	read.confidence = Fields.number(fields, "confidence")
	read.deterministic = Fields.flag(fields, "deterministic")
	read.directions = Fields.texts(fields, "directions")
	read.action = _action(Fields.map(fields, "action"))
	read.plain_text = Fields.text(fields, "plain_text", read.text)
	read.timings = Fields.map(fields, "timings")
	return read


## A line that was written beforehand.
static func fallback(ask: PalaverAsk, text: String, finish_reason: String) -> PalaverLine:
	var made := _line_for(ask)
	made.text = text
	made.plain_text = text
	made.source = PalaverLine.Source.FALLBACK
	made.finish_reason = finish_reason
	return made


## The end of an ask that was cancelled.
static func cancelled(ask: PalaverAsk) -> PalaverLine:
	var made := _line_for(ask)
	made.finish_reason = "cancelled"
	return made


## The draft of a [code]draft[/code] message.
static func draft(ask: PalaverAsk, fields: Dictionary) -> PalaverDraft:
	var read := PalaverDraft.new()
	read.text = Fields.text(fields, "text")
	read.stable_chars = Fields.whole(fields, "stable_chars")
	read.steps_done = Fields.whole(fields, "steps_done")
	read.steps_planned = Fields.whole(fields, "steps_planned")
	read.escape = _escape_of(ask)
	return read


static func _line_for(ask: PalaverAsk) -> PalaverLine:
	var made := PalaverLine.new()
	made.npc_id = ask.npc_id
	made.asked = ask.text
	made.escape = _escape_of(ask)
	return made


static func _escape_of(ask: PalaverAsk) -> String:
	return Fields.text(ask.options, "escape", "plain")


static func _action(fields: Dictionary) -> PalaverAction:
	if fields.is_empty():
		return null
	var read := PalaverAction.new()
	read.name = Fields.text(fields, "name")
	read.args = Fields.map(fields, "args")
	return read
