// Worker is the program of the page's web worker: a [page.Session] behind a JavaScript function
// damier(text). Argument and result are a Request and a Reply as JSON. It builds for js/wasm only.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"damier/web/page"
)

func main() {
	var s page.Session
	js.Global().Set("damier", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var q page.Request
		var reply page.Reply
		if len(args) != 1 {
			reply.Error = "page: damier wants one argument, a request as JSON"
		} else if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
			reply.Error = "page: the request: " + err.Error()
		} else {
			reply = s.Do(context.Background(), q)
		}
		text, err := json.Marshal(reply)
		if err != nil {
			panic(err) // JSON can encode every reply
		}
		return string(text)
	}))
	js.Global().Call("ready")
	select {}
}
