extends "suite.gd"
## Tests with a sidecar that does what the text of an ask says, see tests/bindings/godot/odd_sidecar.py.


func connected(secret := OS.get_environment("PALAVER_TEST_SECRET")) -> PalaverClient:
	var client := new_client()
	client.open(OS.get_environment("PALAVER_TEST_PORT").to_int(), secret)
	equal(client.put_npc("petra", petra()), "", "the persona")
	return client


func asked(client: PalaverClient, text: String, options := {}) -> PalaverAsk:
	var ask := client.ask("petra", text, options)
	await until(ask.is_ended, text)
	return ask


func chosen(client: PalaverClient, text: String, options := {}) -> PalaverChoosing:
	var choosing := client.choose("petra", text, PackedStringArray(["Aye.", "No.", "Perhaps."]), options)
	await until(choosing.is_ended, text)
	return choosing


func first_of(client: PalaverClient) -> Array:
	return client.turns("petra").map(func(turn: PackedStringArray) -> String: return turn[0])
