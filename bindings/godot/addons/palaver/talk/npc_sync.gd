extends RefCounted
## Sees that the sidecar knows the world, the characters, and what was said to them, as the client does.

const Connection := preload("../wire/connection.gd")
const Memory := preload("memory.gd")
const NpcRecord := preload("npc_record.gd")
const OpenAsks := preload("open_asks.gd")
const Roster := preload("roster.gd")
const SaveData := preload("save_data.gd")

## Characters told of in one call; an ask does not wait for its turn here.
const MAX_PUTS_A_CALL := 4

var _roster: Roster
var _asks: OpenAsks
var _connection: Connection
var _world := {}
var _may_differ := false


func _init(roster: Roster, asks: OpenAsks, connection: Connection) -> void:
	_roster = roster
	_asks = asks
	_connection = connection


## Some character is new or has changed.
func note_changed() -> void:
	_may_differ = true


## The sidecar is new, and knows nothing yet.
func note_welcome() -> void:
	_may_differ = true
	if not _world.is_empty():
		_tell_world()


## The connection is lost: the sidecar at the other end of the next one knows nobody.
func note_lost() -> void:
	_roster.forget_all_put()


## From now on this is the world, as it is sent.
func put_world(map: Dictionary) -> void:
	if map != _world or map.keys() != _world.keys():
		_world = map
		_tell_world()


## Let a summary stand for all but the last turns of a character.
func summarise(record: NpcRecord, text: String, keep: int) -> void:
	record.summarise(text, keep)
	if record.is_put and not record.memory_differs:
		var fields := {"id": record.id, "text": text}
		if keep != Memory.KEPT_TURNS:
			fields["keep"] = keep
		_connection.request("npc.summary", fields)
	else:
		record.memory_differs = true


## Tell the sidecar of some characters that it does not know.
func put_some() -> void:
	if not _may_differ:
		return
	for _count: int in MAX_PUTS_A_CALL:
		var unknown := _roster.next_to_put()
		if unknown == null:
			_may_differ = false
			return
		bring_up_to_date(unknown)


## Tell the sidecar what it does not know of a character.
func bring_up_to_date(record: NpcRecord) -> void:
	var was_known := record.is_put
	if not was_known:
		var leaving := _roster.one_too_many(_asks.busy)
		if leaving != null:
			forget(leaving)
		_connection.request("npc.put", {"npc": record.persona})
		record.is_put = true
	# Loading ends what is open of the character: what differs then has to wait.
	if not _asks.busy.has(record.id) and (record.memory_differs or not was_known and not record.memory.is_empty()):
		_connection.request("npc.load", {"data": SaveData.write(record.id, record.memory)})
		record.memory_differs = false


## Have the sidecar forget a character.
func forget(record: NpcRecord) -> void:
	# One that is to be put anew may be remembered under its old persona.
	record.memory_differs = not record.is_put
	if record.is_put:
		_connection.request("npc.forget", {"id": record.id})
	record.is_put = false


func _tell_world() -> void:
	if _connection.state == Connection.State.READY:
		_connection.request("world.put", {"world": _world})
