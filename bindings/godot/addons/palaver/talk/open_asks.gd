extends RefCounted
## The asks that have not ended, and how each of them ends exactly once.

const LineReader := preload("line_reader.gd")
const Roster := preload("roster.gd")

## How long after its deadline an ask is ended by the client itself.
const GRACE_MS := 250
## The same for an ask without a deadline, after it was asked.
const NO_DEADLINE_MS := 30_000

## All of them, in the order in which they were asked.
var open: Array[PalaverAsk] = []
## Ids of the characters with asks that the sidecar works on, and how many.
var busy: Dictionary[String, int] = {}

var _roster: Roster
var _sent: Dictionary[int, PalaverAsk] = {}
# Asks that ended here before the sidecar said anything, and whether it may have remembered the turn all the same.
var _abandoned: Dictionary[int, PalaverAsk] = {}


func _init(roster: Roster) -> void:
	_roster = roster


## The open ask that was sent as [param request]; null if there is none.
func sent_as(request: int) -> PalaverAsk:
	return _sent.get(request)


## Note that the sidecar works on an ask now.
func note_sent(ask: PalaverAsk, request: int) -> void:
	ask.request = request
	_sent[request] = ask
	busy[ask.npc_id] = busy.get(ask.npc_id, 0) + 1


## The connection is lost: all asks have to be sent again.
func note_lost() -> void:
	for ask: PalaverAsk in open:
		ask.request = 0
	_sent.clear()
	busy.clear()
	_abandoned.clear()


## The open asks of one character.
func of(npc_id: String) -> Array[PalaverAsk]:
	return open.filter(func(ask: PalaverAsk) -> bool: return ask.npc_id == npc_id)


## The asks that nothing will come to any more: it is too late, or they were doomed.
func hopeless(now_ms: int) -> Array[PalaverAsk]:
	var found: Array[PalaverAsk] = []
	for ask: PalaverAsk in open:
		if not ask.failure_code.is_empty() or now_ms - ask.asked_ms >= limit_ms(ask):
			found.append(ask)
	return found


## An ask cannot succeed. It ends with the next poll: one that ended inside of the asking would make a game hang that
## asks again and again.
func doom(ask: PalaverAsk, code: String, message: String) -> void:
	ask.failure_code = code
	ask.failure = message


## How long the line of an ask may take before the client ends it itself.
static func limit_ms(ask: PalaverAsk) -> int:
	var deadline_ms := ask.deadline_ms()
	return deadline_ms + GRACE_MS if deadline_ms > 0 else NO_DEADLINE_MS


## Whether the sidecar works on an ask. From now on its answer is not waited for.
func abandon(ask: PalaverAsk) -> bool:
	if not _sent.has(ask.request):
		return false
	_abandoned[ask.request] = ask
	return true


## The turns of a character are replaced: what may still come of its abandoned asks belongs to the old ones.
func forget_abandoned(npc_id: String) -> void:
	for ask: PalaverAsk in _abandoned.values():
		if ask.npc_id == npc_id:
			_abandoned.erase(ask.request)


## The ask that ended here before the answer to [param request] came; null if there is none. It is forgotten.
func take_abandoned(request: int) -> PalaverAsk:
	var ask: PalaverAsk = _abandoned.get(request)
	var _was_there := _abandoned.erase(request)
	return ask


## Remember the turn of a line, as the sidecar does.
func remember(ask: PalaverAsk, line: PalaverLine) -> void:
	if line.source != PalaverLine.Source.FALLBACK and ask.options.get("record") != false:
		_roster.record(ask.npc_id).remember(ask.text, line.text)


## End an ask with the sidecar's line.
func finish(ask: PalaverAsk, line: PalaverLine) -> void:
	remember(ask, line)
	_end(ask, line)


## End an ask with a line that was written beforehand.
func fail(ask: PalaverAsk, code: String, message: String) -> void:
	doom(ask, code, message)
	_end(ask, LineReader.fallback(ask, _roster.record(ask.npc_id).fallback_text(), code))


## End an ask without a line.
func cancel(ask: PalaverAsk) -> void:
	_end(ask, LineReader.cancelled(ask))


func _end(ask: PalaverAsk, line: PalaverLine) -> void:
	open.erase(ask)
	if _sent.erase(ask.request):
		busy[ask.npc_id] -= 1
		if busy[ask.npc_id] == 0:
			busy.erase(ask.npc_id)
	var is_cancelled := line.source == PalaverLine.Source.CANCELLED
	if not is_cancelled:
		_roster.record(ask.npc_id).note_said(line.text)
	ask.line = line
	ask.state = PalaverAsk.State.CANCELLED if is_cancelled else PalaverAsk.State.ENDED
	ask.ended.emit(line)
