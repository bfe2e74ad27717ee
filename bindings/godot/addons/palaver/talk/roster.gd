extends RefCounted
## The characters that the client knows, and whom of them the sidecar knows.

const NpcRecord := preload("npc_record.gd")

## The sidecar remembers as many characters of one client. Beyond that, who was not asked for longest has to go; the
## client keeps the turns, and puts the character again when it is asked.
const MAX_PUT := 256

var _records: Dictionary[String, NpcRecord] = {}


## The record of [param npc_id], made where there is none.
func record(npc_id: String) -> NpcRecord:
	if not _records.has(npc_id):
		var made := NpcRecord.new()
		made.id = npc_id
		_records[npc_id] = made
	return _records[npc_id]


## Whether [param npc_id] was ever put or loaded.
func has(npc_id: String) -> bool:
	return _records.has(npc_id)


## All ids, in the order in which they came.
func ids() -> Array[String]:
	return _records.keys()


## A new connection: the sidecar at its other end knows nobody.
func forget_all_put() -> void:
	for known: NpcRecord in _records.values():
		known.is_put = false


## Somebody with a persona whom the sidecar does not know yet; null when it knows all, or as many as it can.
func next_to_put() -> NpcRecord:
	var unknown: NpcRecord = null
	var count := 0
	for known: NpcRecord in _records.values():
		if known.is_put:
			count += 1
		elif unknown == null and not known.persona.is_empty():
			unknown = known
	return unknown if count < MAX_PUT else null


## Whom the sidecar should forget before it is told of one more; null when it has room. [param busy] are ids that have
## to stay.
func one_too_many(busy: Dictionary[String, int]) -> NpcRecord:
	var oldest: NpcRecord = null
	var count := 0
	for known: NpcRecord in _records.values():
		if known.is_put:
			count += 1
			if not busy.has(known.id) and (oldest == null or known.asked_ms < oldest.asked_ms):
				oldest = known
	return oldest if count >= MAX_PUT else null
