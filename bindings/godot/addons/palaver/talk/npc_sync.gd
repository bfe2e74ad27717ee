extends RefCounted
## Sees that the sidecar knows the characters, and what was said to them, as the client does.

const Connection := preload("../wire/connection.gd")
const NpcRecord := preload("npc_record.gd")
const OpenAsks := preload("open_asks.gd")
const Roster := preload("roster.gd")
const SaveData := preload("save_data.gd")

## Characters told of in one call; an ask does not wait for its turn here.
const MAX_PUTS_A_CALL := 4

var _roster: Roster
var _asks: OpenAsks
var _connection: Connection
var _may_differ := false


func _init(roster: Roster, asks: OpenAsks, connection: Connection) -> void:
	_roster = roster
	_asks = asks
	_connection = connection


## Some character is new or has changed, or the sidecar is new.
func note_changed() -> void:
	_may_differ = true


## The connection is lost: the sidecar at the other end of the next one knows nobody.
func note_lost() -> void:
	_roster.forget_all_put()


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
	# Loading ends the character's open asks: what differs then has to wait.
	if not _asks.busy.has(record.id) and (record.turns_differ or not was_known and not record.turns.is_empty()):
		var data := SaveData.write(record.id, record.turns)
		_connection.request("npc.load", {"data": data})
		record.turns_differ = false


## Have the sidecar forget a character.
func forget(record: NpcRecord) -> void:
	if record.is_put:
		_connection.request("npc.forget", {"id": record.id})
	record.is_put = false
	record.turns_differ = false
