class_name PalaverAction
extends RefCounted
## What a character does beside saying its line: one of its persona's [member PalaverPersona.actions].

## The name, as it was declared: [code]give[/code].
var name := ""
## The arguments by name, in the order of the declaration: [code]{"item": "rope"}[/code]. Each is one of the declared
## texts, or an int of the declared range.
var args := {}


## As the character would write it: [code]give(rope)[/code].
func text() -> String:
	return "%s(%s)" % [name, ", ".join(args.values().map(str))]
