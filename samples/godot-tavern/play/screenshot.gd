class_name Screenshot
extends Driver
## A picture of the tavern: three characters have answered, and the fourth is just finding its words.

const SEED := 3
## A share of a core: so little that the line takes a second or two to settle, whatever the frame rate is.
const SLOW_LOAD := 0.1
const SETTLED_SHARE := 0.2


func _ready() -> void:
	await open_tavern()
	Palaver.frame_budget_ms = 0.0
	for patron: Patron in tavern.patrons().slice(0, 3):
		var line := await patron.hear(patron.quick_choices[0], {"seed": SEED, "deadline_ms": 0})
		tell_line("answered", patron, line)
	await _ask_slowly(tavern.patrons()[3])
	await RenderingServer.frame_post_draw
	var path := argument("--out", "user://tavern.png")
	var error := get_viewport().get_texture().get_image().save_png(path)
	tell("pictured", {"path": path, "error": error, "balloons": tavern.patrons().map(_balloon)})
	close_tavern()


## Returns when a good part of the line has settled, or all of it is there.
func _ask_slowly(patron: Patron) -> void:
	tavern.choose(patron)
	Palaver.set_load_budget(SLOW_LOAD)
	var drafts: Array[PalaverDraft] = []
	patron.npc.line_drafted.connect(drafts.append)
	patron.hear(patron.quick_choices[0], {"seed": SEED, "deadline_ms": 0, "draft_every_ms": 0})
	while patron.npc.is_asking():
		await get_tree().process_frame
		if not drafts.is_empty() and _is_half_settled(drafts[-1]):
			return


static func _is_half_settled(draft: PalaverDraft) -> bool:
	return draft.stable_chars >= SETTLED_SHARE * draft.text.length() and not draft.unsettled().is_empty()


## Left, top, right and bottom of a character's balloon, in pixels.
static func _balloon(patron: Patron) -> Array[int]:
	var balloon: Balloon = patron.get_node(^"Balloon")
	var rect := Rect2i(balloon.get_global_rect())
	return [rect.position.x, rect.position.y, rect.end.x, rect.end.y]
