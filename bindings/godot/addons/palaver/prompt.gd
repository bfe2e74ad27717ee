class_name PalaverPrompt
extends RefCounted
## What the model would read if a character were asked now; to find out why it says what it says.

## The whole prompt.
var text := ""
## How many tokens that is.
var tokens := 0
## What did not fit: facts, then turns.
var dropped := PackedStringArray()
## Why there is no prompt: [code]loading[/code] while the model is loaded, [code]unreachable[/code],
## [code]timeout[/code], or another of the sidecar's codes. Empty where there is one.
var failure_code := ""
## The same in words.
var failure := ""
