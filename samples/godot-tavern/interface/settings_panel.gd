class_name SettingsPanel
extends PanelContainer
## Two settings: how much a frame may cost, and how long a character may take.

signal budget_changed(budget_ms: float)
signal deadline_changed(deadline_ms: int)

@onready var _budget: HSlider = %Budget
@onready var _budget_told: Label = %BudgetTold
@onready var _deadline: HSlider = %Deadline
@onready var _deadline_told: Label = %DeadlineTold


func _ready() -> void:
	_budget.value_changed.connect(_on_budget)
	_deadline.value_changed.connect(_on_deadline)
	hide()


## Shows what is in force, without changing it.
func show_values(budget_ms: float, deadline_ms: int) -> void:
	_budget.set_value_no_signal(budget_ms)
	_deadline.set_value_no_signal(deadline_ms)
	_tell()


func _on_budget(budget_ms: float) -> void:
	_tell()
	budget_changed.emit(budget_ms)


func _on_deadline(deadline_ms: float) -> void:
	_tell()
	deadline_changed.emit(roundi(deadline_ms))


func _tell() -> void:
	_budget_told.text = "%.1f ms" % _budget.value if _budget.value > 0.0 else "no limit"
	_deadline_told.text = "%.1f s" % (_deadline.value / 1000.0) if _deadline.value > 0.0 else "none"
