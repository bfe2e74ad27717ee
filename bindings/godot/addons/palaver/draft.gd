class_name PalaverDraft
extends RefCounted
## A line that is still being made: all of it so far, each time.

## The whole line as it stands, written as the ask's [code]escape[/code] wants it; any word of it may still change.
var text := ""
## How many of its first characters the model was sure of and has said twice.
var stable_chars := 0
## Denoising steps that were run.
var steps_done := 0
## Denoising steps that are planned.
var steps_planned := 0
## The ask's [code]escape[/code]: what [member text] may be handed to without care.
var escape := "plain"


## The first part of the text, which will hardly change any more.
func settled() -> String:
	return text.left(stable_chars)


## The rest of the text.
func unsettled() -> String:
	return text.substr(stable_chars)
