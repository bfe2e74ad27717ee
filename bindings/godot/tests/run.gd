extends Node
## Runs suites of tests: [code]godot --headless --path . -- msgpack zmtp[/code] runs tests/test_msgpack.gd and
## tests/test_zmtp.gd. Prints PASS or FAIL for each test; the exit code is 0 when all passed.

const Suite := preload("suite.gd")

## No run of suites takes longer, unless a script error has stopped one in the middle.
const LIMIT_S := 150.0


func _ready() -> void:
	get_tree().create_timer(LIMIT_S).timeout.connect(_give_up)
	# The tree is not to be changed while it is being set up.
	await get_tree().process_frame
	var failed := 0
	for suite_name: String in OS.get_cmdline_user_args():
		failed += await _run_suite(suite_name)
	get_tree().quit(0 if failed == 0 else 1)


func _run_suite(suite_name: String) -> int:
	var script: GDScript = load("res://tests/test_%s.gd" % suite_name)
	var failed := 0
	for method: Dictionary in script.get_script_method_list():
		var test_name: String = method["name"]
		if not test_name.begins_with("test_"):
			continue
		var suite: Suite = script.new()
		suite.tree = get_tree()
		@warning_ignore("redundant_await")
		await suite.call(test_name)
		# A test may have gone on inside a signal of the very node that has to be freed.
		await get_tree().process_frame
		suite.tear_down()
		if suite.failures.is_empty():
			print("PASS %s.%s" % [suite_name, test_name])
		else:
			failed += 1
			print("FAIL %s.%s: %s" % [suite_name, test_name, "; ".join(suite.failures)])
	return failed


func _give_up() -> void:
	print("FAIL the tests did not end within %d s" % roundi(LIMIT_S))
	get_tree().quit(3)
