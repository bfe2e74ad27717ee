extends "odd_suite.gd"
## A client, and a sidecar that misbehaves.

var now_ms := 0


func test_garbage_is_dropped() -> void:
	var ask := await asked(connected(), "send garbage")
	equal(ask.line.text, "You said: send garbage", "the line behind it")


func test_a_flood_is_spread_over_frames() -> void:
	var client := connected()
	var drafts := [0]
	var ask := client.ask("petra", "flood me")
	ask.drafted.connect(func(_draft: PalaverDraft) -> void: drafts[0] += 1)
	var most := 0
	while not ask.is_ended():
		client.poll()
		most = maxi(most, client.messages_last_poll)
		OS.delay_msec(5)
	equal(drafts[0], 200, "drafts")
	equal(most, 64, "most messages in a frame")


func test_an_error_becomes_a_fallback() -> void:
	var ask := await asked(connected(), "break")
	equal(ask.line.source, PalaverLine.Source.FALLBACK, "the source")
	equal([ask.line.finish_reason, ask.failure_code, ask.failure], ["model-failed", "model-failed", "It broke"], "why")
	check(ask.line.text in petra().fallbacks, "the text: %s" % ask.line.text)


func test_a_sidecar_that_vanishes_is_asked_again() -> void:
	var client := connected()
	var _first := await asked(client, "Hello")
	var ask := await asked(client, "vanish", {"seed": 3})
	equal(ask.line.text, "You said: vanish", "the line")
	equal(client.turns("petra").size(), 2, "turns")


func test_a_sidecar_that_forgot_the_game_is_greeted_again() -> void:
	var client := connected()
	var lost := [0]
	client.lost.connect(func(_problem: String) -> void: lost[0] += 1)
	var ask := client.ask("petra", "forget me", {"deadline_ms": 5000})
	await until(func() -> bool: return lost[0] > 0, "the connection was given up")
	client.cancel(ask)
	equal((await asked(client, "Hello")).line.source_name(), "model", "afterwards")


func test_what_comes_too_late_is_remembered_and_not_said() -> void:
	var client := connected()
	var ask := client.ask("petra", "say it too late", {"deadline_ms": 200})
	await until(ask.is_ended, "the watchdog")
	equal([ask.line.source_name(), ask.line.finish_reason], ["fallback", "timeout"], "the line")
	await until(func() -> bool: return client.turns("petra").size() == 1, "the turn is remembered as the sidecar does")
	equal(client.turns("petra")[0][1], "Too late.", "what is remembered")


func test_what_comes_after_a_load_belongs_to_the_past() -> void:
	var client := connected()
	await until(client.is_welcome, "the welcome")
	var ask := client.ask("petra", "say it too late")
	equal(client.load_turns("petra", '{"palaver_save": 1, "npc": "petra", "turns": [["a", "b"]]}'), OK, "loading")
	equal(ask.line.source_name(), "cancelled", "what was open")
	var _ask := await asked(client, "Hello")
	equal(client.turns("petra").map(func(turn: PackedStringArray) -> String: return turn[0]), ["a", "Hello"], "turns")


func test_the_watchdog_of_an_ask() -> void:
	var client := connected()
	client.clock = func() -> int: return now_ms
	now_ms = 1000
	await until(client.is_welcome, "the welcome")
	var quick := client.ask("petra", "say nothing", {"deadline_ms": 400})
	var patient := client.ask("petra", "say nothing")
	now_ms += 649
	client.poll()
	equal(quick.is_ended(), false, "before its time")
	now_ms += 1
	client.poll()
	equal([quick.is_ended(), patient.is_ended()], [true, false], "at its time")
	for _second: int in 30:
		now_ms += 1000
		client.poll()
	equal(patient.is_ended(), true, "after 30 s")
	equal(patient.line.source_name(), "fallback", "its line")
	check(patient.line.text != quick.line.text, "the same fallback twice")


func test_cancelling() -> void:
	var client := connected()
	await until(client.is_welcome, "the welcome")
	var ask := client.ask("petra", "say nothing")
	client.cancel(ask)
	equal([ask.state, ask.line.source_name(), ask.line.text], [PalaverAsk.State.CANCELLED, "cancelled", ""], "the end")
	client.cancel(ask)
	equal(client.open_asks(), 0, "open asks")


func test_another_secret_is_not_tried_twice() -> void:
	var client := connected("wrong")
	var codes: Array[String] = []
	client.turned_away.connect(func(code: String, _message: String) -> void: codes.append(code))
	var ask := client.ask("petra", "Hello")
	await until(ask.is_ended, "the end")
	await frames(60)
	equal(codes, ["wrong-secret"], "turned away")
	equal([ask.line.source_name(), ask.line.finish_reason], ["fallback", "unreachable"], "the line")
	var sent_ms := Time.get_ticks_msec()
	equal((await asked(client, "Hello")).failure_code, "unreachable", "asked afterwards")
	check(Time.get_ticks_msec() - sent_ms < 5000, "it took long")


func test_nobody_listens() -> void:
	var client := new_client()
	client.open(1)
	equal(client.put_npc("petra", petra()), "", "the persona")
	var ask := client.ask("petra", "Hello", {"deadline_ms": 100})
	await until(ask.is_ended, "the end")
	equal([ask.line.source_name(), ask.line.finish_reason], ["fallback", "unreachable"], "the line")


func test_a_huge_frame_costs_the_connection() -> void:
	var client := connected()
	var ask := await asked(client, "send a huge frame")
	equal(ask.line.text, "You said: send a huge frame", "asked again")


func test_what_is_wrong_is_said_at_once() -> void:
	var client := connected()
	var ask := client.ask("petra", "Hello", {"sed": 1})
	equal([ask.is_ended(), ask.failure_code], [false, "bad-request"], "an unknown option")
	client.poll()
	equal([ask.is_ended(), ask.line.source_name()], [true, "fallback"], "a frame later")
	equal(client.ask("nobody", "Hello").failure_code, "unknown-npc", "somebody who was not put")
