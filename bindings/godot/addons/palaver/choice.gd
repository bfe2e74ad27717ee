class_name PalaverChoice
extends RefCounted
## Which of several answers, all of them written beforehand, a character gives.

enum Source {
	MODEL,  ## The model has looked at all of them.
	FALLBACK,  ## There was no time, or no sidecar: it is the first one.
	CANCELLED,  ## It was cancelled; nothing was chosen.
}

## The answer's place in [member answers]; -1 if it was cancelled.
var index := -1
## How likely each answer is the best one, together 1. All the same for a fallback, empty if it was cancelled.
var probabilities := PackedFloat64Array()
## Where the choice came from.
var source := Source.CANCELLED
## Why it ended: [code]stop[/code], [code]deadline[/code], [code]cancelled[/code]; or, for a fallback that the addon made
## itself, [code]timeout[/code], [code]unreachable[/code] or the code of the sidecar's error.
var finish_reason := ""
## Milliseconds, as in [member PalaverLine.timings].
var timings := {}
## Who chose: the id that was asked.
var npc_id := ""
## What the player had said.
var asked := ""
## What there was to choose from.
var answers := PackedStringArray()


## The chosen answer; empty if it was cancelled.
func text() -> String:
	return answers[index] if index >= 0 else ""


## True when nobody has looked at the answers.
func is_authored() -> bool:
	return source == Source.FALLBACK


## The source in lower case: [code]model[/code], [code]fallback[/code] or [code]cancelled[/code].
func source_name() -> String:
	var names: Array = Source.keys()
	var name: String = names[source]
	return name.to_lower()
