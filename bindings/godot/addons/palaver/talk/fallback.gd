extends RefCounted
## Lines for when the sidecar has none: the character's own, or neutral ones.

const NEUTRAL: Array[String] = ["...", "Hm."]


## One of [param authored], drawn at random; never [param last], which the character said last. A neutral line where
## none is left.
static func choose(authored: PackedStringArray, last: String) -> String:
	var choices: Array[String] = []
	for text: String in authored:
		if text != last:
			choices.append(text)
	if choices.is_empty():
		for text: String in NEUTRAL:
			if text != last:
				choices.append(text)
	var text: String = choices.pick_random()
	return text
