class_name Overlay
extends PanelContainer
## The figures of the running game: frame time, the sidecar, the budget, and where the last lines came from.

const FRAMES_KEPT := 120
const LINES_KEPT := 4
const REFRESH_S := 0.25

var _frames_ms := PackedFloat32Array()
var _offered_ms := 0.0
var _used_ms := 0.0
var _lines := PackedStringArray()
var _until_refresh_s := 0.0

@onready var _figures: Label = %Figures
@onready var _answers: Label = %Answers


func _process(delta_s: float) -> void:
	if _frames_ms.size() == FRAMES_KEPT:
		_frames_ms.remove_at(0)
	_frames_ms.append(delta_s * 1000.0)
	_until_refresh_s -= delta_s
	if visible and _until_refresh_s <= 0.0:
		_until_refresh_s = REFRESH_S
		_figures.text = figures()
		_answers.text = "\n".join(_lines)


## Counts what the sidecar may compute in this frame; called in each frame in which somebody waits for a line.
func offer(budget_ms: float) -> void:
	_offered_ms += budget_ms


## Takes down where a line came from.
func note(line: PalaverLine, patron: Patron) -> void:
	_used_ms += line.timings.get("compute_ms", 0.0)
	_lines.append(
		"%-8s %-8s %-11s %5.0f ms %3d steps" % [
			patron.persona.name, line.source_name(), line.finish_reason, line.timings.get("total_ms", 0.0), line.steps_done
		]
	)
	if _lines.size() > LINES_KEPT:
		_lines.remove_at(0)


## Frame time, addon, sidecar and budget, a row each.
func figures() -> String:
	var sorted := _frames_ms.duplicate()
	sorted.sort()
	var middle_ms := sorted[sorted.size() / 2.0] if not sorted.is_empty() else 0.0
	var worst_ms := sorted[-1] if not sorted.is_empty() else 0.0
	return "\n".join([
		"frame    %.1f ms, worst of %d %.1f ms" % [middle_ms, FRAMES_KEPT, worst_ms],
		"addon    %.2f ms in this frame, %d messages" % [Palaver.frame_cost_usec / 1000.0, Palaver.messages_last_frame],
		"sidecar  %s" % _sidecar(),
		"budget   %s" % _budget(),
	])


func _sidecar() -> String:
	var state: String = PalaverService.State.keys()[Palaver.state]
	var told := state.to_lower()
	if Palaver.sidecar_pid() > 0:
		told += ", pid %d" % Palaver.sidecar_pid()
	return told if Palaver.reason.is_empty() else "%s (%s)" % [told, Palaver.reason]


func _budget() -> String:
	if Palaver.frame_budget_ms <= 0.0:
		return "none: %.0f ms computed" % _used_ms
	var share := 100.0 * _used_ms / _offered_ms if _offered_ms > 0.0 else 0.0
	return "%.1f ms a frame, %.0f %% of it used" % [Palaver.frame_budget_ms, share]
