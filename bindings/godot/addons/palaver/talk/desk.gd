extends RefCounted
## Puts asks and choices to the sidecar, and gives up those that nothing will come to.

const AskOptions := preload("ask_options.gd")
const Connection := preload("../wire/connection.gd")
const NpcSync := preload("npc_sync.gd")
const OpenAsks := preload("open_asks.gd")
const Roster := preload("roster.gd")

var _roster: Roster
var _asks: OpenAsks
var _sync: NpcSync
var _connection: Connection


func _init(roster: Roster, asks: OpenAsks, sync: NpcSync, connection: Connection) -> void:
	_roster = roster
	_asks = asks
	_sync = sync
	_connection = connection


## Send one that is open, unless its time is over.
func send(given: PalaverRequest, now_ms: int) -> void:
	var deadline_ms := given.deadline_ms()
	var left_ms := deadline_ms - (now_ms - given.asked_ms)
	if deadline_ms > 0 and left_ms <= 0:
		return
	var record := _roster.record(given.npc_id)
	record.asked_ms = now_ms
	_sync.bring_up_to_date(record)
	var fields := {"npc": given.npc_id, "text": given.text}
	var type := "ask"
	if given is PalaverChoosing:
		var choosing: PalaverChoosing = given
		fields["options"] = Array(choosing.answers)
		type = "choose"
	fields.merge(AskOptions.fields(given.options, left_ms))
	_asks.note_sent(given, _connection.request(type, fields))


## Send all that are open: the sidecar is new.
func send_all(now_ms: int) -> void:
	for waiting: PalaverRequest in _asks.open.duplicate():
		if waiting.failure_code.is_empty():
			send(waiting, now_ms)


## End one without an answer, at once.
func cancel(given: PalaverRequest) -> void:
	if not given.is_ended():
		_abandon(given)
		_asks.cancel(given)


## End all of a character without an answer. What may still come of them belongs to the past.
func drop_all_of(npc_id: String) -> void:
	for given: PalaverRequest in _asks.of(npc_id):
		cancel(given)
	_asks.forget_abandoned(npc_id)


## Give up all: there will be no sidecar.
func fail_all(why: String) -> void:
	for given: PalaverRequest in _asks.open.duplicate():
		_asks.fail(given, "unreachable", why)


## End those that nothing will come to any more.
func end_hopeless(now_ms: int) -> void:
	if _asks.open.is_empty():
		return
	for given: PalaverRequest in _asks.hopeless(now_ms):
		if given.is_ended():
			continue
		if not given.failure_code.is_empty():
			_asks.fail(given, given.failure_code, given.failure)
		else:
			var was_sent := given.request != 0
			_abandon(given)
			var message := "There was no answer within %d ms." % OpenAsks.limit_ms(given)
			_asks.fail(given, "timeout" if was_sent else "unreachable", message)


func _abandon(given: PalaverRequest) -> void:
	if _asks.abandon(given):
		_connection.request("cancel", {"target": given.request})
