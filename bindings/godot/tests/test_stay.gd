extends "suite.gd"
## A game that runs until it is ended from outside.


func test_running() -> void:
	Palaver.start()
	await until(Palaver.is_ready, "a sidecar that is ready")
	print("SIDECAR %d" % Palaver.sidecar_pid())
	await until(func() -> bool: return false, "the end", 60_000)
