extends "suite.gd"
## A sidecar that runs already, and more than one game on it.


func connected() -> PalaverClient:
	var client := new_client()
	client.open(OS.get_environment("PALAVER_TEST_PORT").to_int(), OS.get_environment("PALAVER_TEST_SECRET"))
	equal(client.put_npc("petra", petra()), "", "the persona")
	return client


func test_two_games_know_nothing_of_each_other() -> void:
	var one := connected()
	var other := connected()
	var seeded := {"seed": 1, "steps": 4}
	var first := one.ask("petra", "Hello", seeded)
	await until(first.is_ended, "the first line")
	var second := other.ask("petra", "Hello", seeded)
	await until(second.is_ended, "the second line")
	equal(second.line.text, first.line.text, "neither has a past")
	var third := one.ask("petra", "What does a room cost?")
	var fourth := other.ask("petra", "What does a room cost?")
	one.cancel(third)
	await until(fourth.is_ended, "the line that was not cancelled")
	equal(fourth.line.source_name(), "model", "its source")
	equal([one.turns("petra").size(), other.turns("petra").size()], [1, 2], "turns")


func test_more_characters_than_a_sidecar_remembers() -> void:
	var client := connected()
	var complaints: Array[String] = []
	client.complained.connect(func(code: String, _message: String) -> void: complaints.append(code))
	for index: int in 300:
		equal(client.put_npc("guest %d" % index, petra()), "", "a persona")
	var options := {"seed": 1, "steps": 1, "max_tokens": 1, "record": true}
	for index: int in [0, 299, 0]:
		var ask := client.ask("guest %d" % index, "Hello", options)
		await until(ask.is_ended, "guest %d" % index)
		equal(ask.failure_code, "", "guest %d" % index)
	await frames(100)
	equal(complaints, [] as Array[String], "complaints")


func test_the_report() -> void:
	var client := connected()
	await until(client.is_welcome, "the welcome")
	var reports: Array[Dictionary] = []
	var ask := func() -> void: reports.append(await client.stats())
	ask.call()
	await until(func() -> bool: return not reports.is_empty(), "a report")
	equal(reports[0].get("state"), "ready", "the state")
	var clients: int = reports[0]["clients"]
	check(clients > 0, "nobody is connected")
