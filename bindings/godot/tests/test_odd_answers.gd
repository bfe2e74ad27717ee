extends "odd_suite.gd"
## What a client makes of answers, and what it tells a sidecar.


func test_a_line() -> void:
	var client := connected()
	equal(client.is_welcome(), false, "asked before there is a connection")
	var line := (await asked(client, "Hello", {"seed": 7})).line
	equal(line.text, "You said: Hello", "the text")
	equal(line.source, PalaverLine.Source.MODEL, "the source")
	equal([line.seed, line.steps_planned, line.steps_done, line.tokens], [7, 8, 5, 4], "the numbers")
	equal(line.timings["total_ms"], 4.0, "the timings")
	equal([line.npc_id, line.asked, line.source_name()], ["petra", "Hello", "model"], "what was asked")
	equal(client.turns("petra").size(), 1, "remembered turns")
	equal(client.turns("petra")[0], PackedStringArray(["Hello", "You said: Hello"]), "the turn")


func test_a_line_that_is_more_than_text() -> void:
	var client := connected()
	var line := (await asked(client, "act", {"escape": "bbcode"})).line
	equal([line.text, line.plain_text, line.bbcode()], ["Here [lb]so].", "Here [so].", "Here [lb]so]."], "the text")
	equal(line.directions, PackedStringArray(["nods"]), "directions")
	equal([line.action.name, line.action.args], ["give", {"item": "rope", "count": 2}], "the action")
	equal(line.action.text(), "give(rope, 2)", "as it would be written")
	equal(client.turns("petra")[0][1], "Here [so].", "what is remembered")
	equal((await asked(client, "Hello")).line.action, null, "no action")


func test_a_choice() -> void:
	var client := connected()
	var choice := (await chosen(client, "Well?")).choice
	equal([choice.index, choice.text(), choice.source_name()], [1, "No.", "model"], "the choice")
	equal(choice.probabilities, PackedFloat64Array([0.25, 0.5, 0.25]), "how likely")
	equal([choice.npc_id, choice.asked, choice.finish_reason], ["petra", "Well?", "stop"], "what was asked")
	equal(choice.timings["total_ms"], 4.0, "the timings")
	equal(client.turns("petra").size(), 0, "remembered")


func test_a_choice_ends_whatever_happens() -> void:
	var client := connected()
	var broken := (await chosen(client, "break")).choice
	equal([broken.text(), broken.source_name(), broken.finish_reason], ["Aye.", "fallback", "model-failed"], "an error")
	check(is_equal_approx(broken.probabilities[0] * 3.0, 1.0) and broken.is_authored(), "all as likely")
	var late := (await chosen(client, "say nothing", {"deadline_ms": 50})).choice
	equal([late.index, late.finish_reason], [0, "timeout"], "the watchdog")
	var beyond := (await chosen(client, "choose the tenth", {"deadline_ms": 50})).choice
	equal([beyond.index, beyond.finish_reason], [0, "timeout"], "an answer that there is not")
	var again := (await chosen(client, "choose and vanish")).choice
	equal([again.index, again.source_name()], [1, "model"], "asked again")
	var refused := client.choose("petra", "Well?", PackedStringArray(["Aye."]))
	await until(refused.is_ended, "one answer")
	equal([refused.failure_code, refused.choice.text()], ["bad-request", "Aye."], "one answer")
	var none := client.choose("petra", "Well?", PackedStringArray())
	await until(none.is_ended, "no answers")
	equal([none.choice.index, none.choice.text()], [-1, ""], "no answers")
	var open := client.choose("petra", "say nothing", PackedStringArray(["Aye.", "No."]))
	client.cancel(open)
	equal([open.choice.source_name(), open.choice.index, open.choice.text()], ["cancelled", -1, ""], "cancelled")


func test_the_world_comes_before_the_characters() -> void:
	var client := new_client()
	equal(client.put_world({"time": ["It is evening."]}), "", "a world")
	check(not client.put_world({"time": "evening"}).is_empty(), "no world")
	client.open(OS.get_environment("PALAVER_TEST_PORT").to_int(), OS.get_environment("PALAVER_TEST_SECRET"))
	equal(client.put_npc("petra", petra()), "", "the persona")
	var _first := await asked(client, "Good evening")
	equal(client.put_world({"time": ["It is night."]}), "", "another world")
	equal(client.put_world({"time": ["It is night."]}), "", "the same once more")
	var _second := await asked(client, "Good night")
	equal(client.put_world({}), "", "nothing is known")
	var _third := await asked(client, "Good morning")


func test_the_sidecar_sums_up() -> void:
	var client := connected()
	for text: String in ["one", "two", "three"]:
		var _ask := await asked(client, text)
	var _last := await asked(client, "sum up")
	await until(func() -> bool: return not client.summary("petra").is_empty(), "the summary")
	equal([client.summary("petra"), first_of(client)], ["They talked.", ["three", "sum up"]], "what is remembered")
	var save := client.save_turns("petra")
	client.forget("petra")
	equal([client.summary("petra"), first_of(client)], ["", []], "forgotten")
	equal(client.load_turns("petra", save), OK, "loading")
	equal([client.summary("petra"), first_of(client)], ["They talked.", ["three", "sum up"]], "loaded")


func test_a_summary_of_the_past_changes_nothing() -> void:
	var client := connected()
	var _first := await asked(client, "one")
	var _late := client.ask("petra", "sum up late")
	await frames(3)
	equal(client.load_turns("petra", '{"palaver_save": 2, "npc": "petra", "summary": "Old.", "turns": []}'), OK, "loading")
	await until(func() -> bool: return client.messages_last_poll > 0, "the summary")
	equal(client.summary("petra"), "Old.", "what is remembered")


func test_the_game_sums_up() -> void:
	var client := connected()
	equal(client.put_npc("bruno", petra()), "", "another persona")
	for text: String in ["one", "two", "three"]:
		var _ask := await asked(client, text)
	equal(client.set_summary("petra", "They haggled.", 1), "", "a summary")
	equal([client.summary("petra"), first_of(client)], ["They haggled.", ["three"]], "what is remembered")
	equal(client.set_summary("bruno", "An old friend."), "", "of somebody who was never asked")
	check(not client.set_summary("petra", "x".repeat(4001)).is_empty(), "a long one")
	check(not client.set_summary("petra", "", 17).is_empty(), "too many turns")
	var _again := await asked(client, "sum up and vanish")


func test_the_prompt() -> void:
	var client := connected()
	var early := await client.prompt("petra", "Hello")
	equal([early.failure_code, early.text], ["unreachable", ""], "without a connection")
	await until(client.is_welcome, "the welcome")
	var prompts: Array[PalaverPrompt] = []
	var look := func(text: String) -> void: prompts.append(await client.prompt("petra", text))
	for text: String in ["Hello", "load", " "]:
		look.call(text)
	await until(func() -> bool: return prompts.size() == 3, "the prompts")
	equal(prompts[0].failure_code, "bad-request", "no text")
	equal([prompts[1].text, prompts[1].tokens, prompts[1].failure_code], ["Be Petra. Hello", 7, ""], "the prompt")
	equal(prompts[1].dropped, PackedStringArray(["The weather."]), "what did not fit")
	equal([prompts[2].failure_code, prompts[2].failure], ["loading", "Wait"], "while it loads")


func test_a_fallback_of_the_addon_holds_what_was_asked_for() -> void:
	var client := connected()
	var options := {"template": "Aye, {*=stranger}. {*}", "must_include": ["my lord"]}
	var pinned := (await asked(client, "break", options)).line
	equal(pinned.text, "Aye, stranger my lord. ", "a template")
	var persona := petra()
	persona.situations["at night"] = PackedStringArray(["Come back at dawn"])
	equal(client.put_npc("petra", persona), "", "the persona")
	var line := (await asked(client, "break", {"situation": "at night", "must_include": ["my lord", "back"]})).line
	equal(line.text, "Come back at dawn my lord.", "a situation")


func test_a_turn_that_is_not_to_be_remembered() -> void:
	var client := connected()
	var _ask := await asked(client, "Hello", {"record": false})
	equal(client.turns("petra").size(), 0, "remembered")
