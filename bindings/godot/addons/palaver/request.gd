class_name PalaverRequest
extends RefCounted
## Something that was put to a character: what a [PalaverAsk] and a [PalaverChoosing] have in common.
##
## It ends exactly once, in a later frame.

enum State {
	OPEN,  ## No answer yet.
	ENDED,  ## With an answer.
	CANCELLED,  ## Without one.
}

## Whether it is still open.
var state := State.OPEN
## Who was asked.
var npc_id := ""
## What the player said.
var text := ""
## The options it was asked with.
var options := {}
## Why the addon made the answer itself: a code as in [member PalaverLine.finish_reason]. Empty if it did not.
var failure_code := ""
## The same in words.
var failure := ""
## Its number on the wire; 0 while it has not been sent.
var request := 0
## When it was asked, in milliseconds of the client's clock.
var asked_ms := 0


## True when it has ended, with an answer or cancelled.
func is_ended() -> bool:
	return state != State.OPEN


## The time by which the answer is wanted, in milliseconds after [member asked_ms]; 0 for no limit.
func deadline_ms() -> int:
	return options.get("deadline_ms", 0)
