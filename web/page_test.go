package web_test

import (
	"testing"

	"damier/web"
)

func TestLook(t *testing.T) {
	p := openTab(t, web.Config{}, 1280, 900)
	p.shot("start")
	p.click(32)
	p.shot("selected")
	p.click(28)
	p.wait(`document.querySelectorAll("#moves button").length === 2`)
	p.run()
	p.do(`document.querySelector("#analyse").click()`)
	p.wait(`document.querySelectorAll("#top-moves tr").length > 3`)
	p.shot("analysis")
}
