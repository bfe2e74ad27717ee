extends RefCounted
## Requests other than asks whose answers somebody waits for.


class Reply:
	extends RefCounted
	## An answer that is awaited.

	signal done

	## The answer's fields; empty when there was none.
	var fields := {}
	## When nobody waits any longer, in milliseconds of the client's clock.
	var until_ms := 0


const TIMEOUT_MS := 5000

var _waiting: Dictionary[int, Reply] = {}


## The reply that will come to [param request]. Its [code]done[/code] always comes.
func expect(request: int, now_ms: int) -> Reply:
	var reply := Reply.new()
	reply.until_ms = now_ms + TIMEOUT_MS
	_waiting[request] = reply
	return reply


## An answer has come; to a request that nobody waits for, it is dropped.
func take(request: int, fields: Dictionary) -> void:
	if _waiting.has(request):
		var reply := _waiting[request]
		_waiting.erase(request)
		reply.fields = fields
		reply.done.emit()


## Give up what has waited too long.
func end_overdue(now_ms: int) -> void:
	if _waiting.is_empty():
		return
	for request: int in _waiting.keys():
		if now_ms >= _waiting[request].until_ms:
			take(request, {})


## Give up everything: the connection is lost.
func end_all() -> void:
	for request: int in _waiting.keys():
		take(request, {})
