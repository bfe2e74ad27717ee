extends RefCounted
## Lines for when the sidecar has none: the character's own, or neutral ones.

const NEUTRAL: PackedStringArray = ["...", "Hm."]


## One of the first of [param lists] that has any but [param last], which the character said last; drawn at random. A
## neutral line where none has.
static func choose(lists: Array[PackedStringArray], last: String) -> String:
	var all := lists.duplicate()
	all.append(NEUTRAL)
	for texts: PackedStringArray in all:
		var choices := Array(texts).filter(func(text: String) -> bool: return text != last)
		if not choices.is_empty():
			return choices.pick_random()
	return NEUTRAL[0]
