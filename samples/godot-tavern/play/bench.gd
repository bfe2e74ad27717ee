class_name Bench
extends Driver
## What four talking characters cost the game's thread: blocks of frames in which all of them are asked again and again,
## in turn with blocks in which nobody is, in one process.
##
## A frame is measured from before the first node is processed until the calls that were deferred in it are done:
## the addon, the balloons, the layout of their text. Drawing and waiting for the next frame are left out.

const SETTLING_FRAMES := 30

var _frames_a_block := int(argument("--frames", "300"))
var _pairs := int(argument("--pairs", "8"))
var _began_usec := 0
var _costs_usec := PackedFloat64Array()
var _addon_usec := PackedFloat64Array()
var _is_talking := false
var _lines := 0
var _drafts := 0


func _ready() -> void:
	process_priority = 1000
	get_tree().process_frame.connect(func() -> void: _began_usec = Time.get_ticks_usec())
	Engine.max_fps = 60
	await open_tavern()
	for patron in tavern.patrons():
		patron.npc.line_drafted.connect(func(_draft: PalaverDraft) -> void: _drafts += 1)
	var idle := Block.new()
	var talking := Block.new()
	for pair in _pairs:
		await _run_block(idle, false)
		await _run_block(talking, true)
	tell("measured", {
		"pairs": _pairs,
		"frames_a_block": _frames_a_block,
		"lines": _lines,
		"drafts": _drafts,
		"budget_ms": Palaver.frame_budget_ms,
		"idle": idle.summary(),
		"talking": talking.summary(),
		"difference": talking.less(idle),
		"godot": Engine.get_version_info()["string"],
		"cpu": OS.get_processor_name(),
		"cores": OS.get_processor_count(),
	})
	close_tavern()


func _process(_delta_s: float) -> void:
	_addon_usec.append(Palaver.frame_cost_usec)
	(func() -> void: _end_frame.call_deferred()).call_deferred()


func _end_frame() -> void:
	_costs_usec.append(Time.get_ticks_usec() - _began_usec)


func _run_block(block: Block, talking: bool) -> void:
	_is_talking = talking
	for patron in tavern.patrons():
		if talking:
			_keep_talking(patron)
	for frame in SETTLING_FRAMES:
		await get_tree().process_frame
	_costs_usec.clear()
	_addon_usec.clear()
	for frame in _frames_a_block:
		await get_tree().process_frame
	block.add(_costs_usec, _addon_usec)
	_is_talking = false
	while tavern.patrons().any(func(patron: Patron) -> bool: return patron.npc.is_asking()):
		await get_tree().process_frame


func _keep_talking(patron: Patron) -> void:
	var turn := 0
	while _is_talking:
		await patron.hear(patron.quick_choices[turn % patron.quick_choices.size()])
		_lines += 1
		turn += 1


## The frames of one kind: how long each took, and medians and 99th percentiles of each block.
class Block:
	var _medians_usec := PackedFloat64Array()
	var _p99s_usec := PackedFloat64Array()
	var _all_usec := PackedFloat64Array()
	var _addon_usec := PackedFloat64Array()

	func add(costs_usec: PackedFloat64Array, addon_usec: PackedFloat64Array) -> void:
		_medians_usec.append(Block.quantile(costs_usec, 0.5))
		_p99s_usec.append(Block.quantile(costs_usec, 0.99))
		_all_usec.append_array(costs_usec)
		_addon_usec.append_array(addon_usec)

	func summary() -> Dictionary:
		return {
			"frames": _all_usec.size(),
			"median_ms": Block.in_ms(Block.quantile(_all_usec, 0.5)),
			"p99_ms": Block.in_ms(Block.quantile(_all_usec, 0.99)),
			"addon_median_ms": Block.in_ms(Block.quantile(_addon_usec, 0.5)),
			"addon_p99_ms": Block.in_ms(Block.quantile(_addon_usec, 0.99)),
		}

	## Median over the pairs of what this kind costs more than the other.
	func less(other: Block) -> Dictionary:
		var medians := PackedFloat64Array()
		var p99s := PackedFloat64Array()
		for pair in _medians_usec.size():
			medians.append(_medians_usec[pair] - other._medians_usec[pair])
			p99s.append(_p99s_usec[pair] - other._p99s_usec[pair])
		return {
			"median_ms": Block.in_ms(Block.quantile(medians, 0.5)), "p99_ms": Block.in_ms(Block.quantile(p99s, 0.5))
		}

	static func quantile(values: PackedFloat64Array, share: float) -> float:
		var sorted := values.duplicate()
		sorted.sort()
		return sorted[mini(int(share * sorted.size()), sorted.size() - 1)] if not sorted.is_empty() else 0.0

	static func in_ms(usec: float) -> float:
		return snappedf(usec / 1000.0, 0.001)
