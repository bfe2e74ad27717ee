extends RefCounted
## Choices out of the sidecar's messages, and those that the addon makes itself.

const Fields := preload("../wire/fields.gd")


## The choice of a [code]choice[/code] message; null if it is none of the answers.
static func choice(choosing: PalaverChoosing, fields: Dictionary) -> PalaverChoice:
	var read := _choice_for(choosing)
	read.index = Fields.whole(fields, "index")
	read.probabilities = Fields.numbers(fields, "probabilities")
	var is_model := Fields.text(fields, "source") == "model"
	read.source = PalaverChoice.Source.MODEL if is_model else PalaverChoice.Source.FALLBACK
	read.finish_reason = Fields.text(fields, "finish_reason")
	read.timings = Fields.map(fields, "timings")
	return read if read.index >= 0 and read.index < choosing.answers.size() else null


## The first answer, without a look at them.
static func fallback(choosing: PalaverChoosing, finish_reason: String) -> PalaverChoice:
	var made := _choice_for(choosing)
	made.index = -1 if choosing.answers.is_empty() else 0
	made.probabilities.resize(choosing.answers.size())
	made.probabilities.fill(1.0 / maxi(choosing.answers.size(), 1))
	made.source = PalaverChoice.Source.FALLBACK
	made.finish_reason = finish_reason
	return made


## The end of a choice that was cancelled.
static func cancelled(choosing: PalaverChoosing) -> PalaverChoice:
	var made := _choice_for(choosing)
	made.finish_reason = "cancelled"
	return made


static func _choice_for(choosing: PalaverChoosing) -> PalaverChoice:
	var made := PalaverChoice.new()
	made.npc_id = choosing.npc_id
	made.asked = choosing.text
	made.answers = choosing.answers
	return made
