extends RefCounted
## What a suite of tests has: checks that note what is wrong and go on, and waits that end.

const WAIT_MS := 20_000

## The running game.
var tree: SceneTree
## What was wrong in this test.
var failures := PackedStringArray()

var _nodes: Array[Node] = []
var _clients: Array[PalaverClient] = []


## Note [param what] unless [param is_true].
func check(is_true: bool, what: String) -> void:
	if not is_true:
		failures.append(what)


## Note a difference.
func equal(found: Variant, expected: Variant, what := "") -> void:
	if not (typeof(found) == typeof(expected) and found == expected):
		failures.append("%s: %s, expected %s" % [what, var_to_str(found).left(200), var_to_str(expected).left(200)])


## Let frames pass until [param is_met] says true; false, and noted, where it never does.
func until(is_met: Callable, what: String, limit_ms := WAIT_MS) -> bool:
	var ends_ms := Time.get_ticks_msec() + limit_ms
	while not is_met.call():
		if Time.get_ticks_msec() > ends_ms:
			failures.append("never happened: %s" % what)
			return false
		await tree.process_frame
		for client: PalaverClient in _clients:
			client.poll()
	return true


## Let some frames pass.
func frames(count: int) -> void:
	for _index: int in count:
		await tree.process_frame


## End a process as a crash would, behind Godot's back.
func kill(pid: int) -> void:
	equal(OS.execute("kill", ["-9", str(pid)]), 0, "kill")


## A client of its own, polled by [method until].
func new_client() -> PalaverClient:
	var client := PalaverClient.new()
	_clients.append(client)
	return client


## Put a node into the tree until the test ends.
func add_node(node: Node) -> void:
	tree.root.add_child(node)
	_nodes.append(node)


## Undo what the test set up.
func tear_down() -> void:
	for node: Node in _nodes:
		node.free()
	for client: PalaverClient in _clients:
		client.close()
	# A client may hold a clock that holds this suite.
	_clients.clear()


## An innkeeper with two fallback lines.
func petra(id := "petra") -> PalaverPersona:
	return PalaverPersona.from_map(
		{
			"id": id,
			"name": "Petra",
			"role": "innkeeper",
			"place": "Oakvale",
			"knowledge": ["A room costs 5 gold.", "Oakvale lies to the east."],
			"fallbacks": ["Not now, love.", "The ale first."],
		}
	)
