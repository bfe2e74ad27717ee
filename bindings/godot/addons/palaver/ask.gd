class_name PalaverAsk
extends RefCounted
## One ask that was put to a character, from [method PalaverClient.ask] to its end.
##
## It ends exactly once, with a line or cancelled, in a later frame.

## The line so far, for an ask with [code]draft_every_ms[/code].
@warning_ignore("unused_signal")
signal drafted(draft: PalaverDraft)
## The ask is over; the line of a cancelled one has the source CANCELLED.
@warning_ignore("unused_signal")
signal ended(line: PalaverLine)

enum State {
	OPEN,  ## No line yet.
	ENDED,  ## With a line.
	CANCELLED,  ## Without one.
}

## Whether it is still open.
var state := State.OPEN
## How it ended; null while it is open.
var line: PalaverLine
## Who was asked.
var npc_id := ""
## What the player said.
var text := ""
## The options it was asked with.
var options := {}
## Why the addon made the line itself: a code as in [member PalaverLine.finish_reason]. Empty if it did not.
var failure_code := ""
## The same in words.
var failure := ""
## Its number on the wire; 0 while it has not been sent.
var request := 0
## When it was asked, in milliseconds of the client's clock.
var asked_ms := 0


## True when it has ended, with a line or cancelled.
func is_ended() -> bool:
	return state != State.OPEN


## The time by which the line is wanted, in milliseconds after [member asked_ms]; 0 for no limit.
func deadline_ms() -> int:
	return options.get("deadline_ms", 0)
