package webtest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"damier/web"
)

// Client sends the requests of a page to a server, without a browser.
type Client struct {
	*testing.T
	Server *httptest.Server
}

// Serve starts a server with a handler. When the test ends it calls end, which must end the event
// streams, and stops the server.
func Serve(t *testing.T, handler http.Handler, end func()) *Client {
	t.Helper()
	h := httptest.NewServer(handler)
	t.Cleanup(func() {
		end()
		h.CloseClientConnections()
		h.Close()
	})
	return &Client{t, h}
}

// Post sends body as JSON, as a page does, and returns the status and the answer.
func (c *Client) Post(path string, body any) (int, map[string]any) {
	c.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	return c.Send(path, bytes.NewReader(text), nil)
}

// Send is Post with a raw body and with changed headers; "" removes a header.
func (c *Client) Send(
	path string, body *bytes.Reader, header map[string]string,
) (int, map[string]any) {
	c.Helper()
	r, err := http.NewRequest("POST", c.Server.URL+path, body)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Origin", c.Server.URL)
	r.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		if r.Header.Set(k, v); k == "Host" {
			r.Host = v
		}
		if v == "" {
			r.Header.Del(k)
		}
	}
	a, err := c.Server.Client().Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer a.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(a.Body).Decode(&answer); err != nil {
		c.Fatalf("%s: the answer is no JSON: %v", path, err)
	}
	return a.StatusCode, answer
}

// Get returns the status and the body of the answer.
func (c *Client) Get(path string) (int, string) {
	c.Helper()
	a, err := c.Server.Client().Get(c.Server.URL + path)
	if err != nil {
		c.Fatal(err)
	}
	defer a.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(a.Body); err != nil {
		c.Fatal(err)
	}
	return a.StatusCode, text.String()
}

// GetJSON is Get of a JSON object.
func (c *Client) GetJSON(path string) (int, map[string]any) {
	c.Helper()
	status, text := c.Get(path)
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		c.Fatalf("%s: %v in %s", path, err, text)
	}
	return status, answer
}

// Files checks that the server serves every file, page at / and the others by their names, and
// that no file contains an address of another site. It returns the size of all files in bytes.
func (c *Client) Files(files web.Files, page string) (total int) {
	c.Helper()
	address := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	for _, folder := range files {
		err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if name == page {
				name = ""
			}
			status, text := c.Get("/" + name)
			if status != 200 || text == "" {
				c.Errorf("/%s: %d", name, status)
			}
			total += len(text)
			for _, found := range address.FindAllString(text, -1) {
				if found != "http://www.w3.org" { // the namespace of SVG
					c.Errorf("%s names %s", name, found)
				}
			}
			return nil
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return total
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// Texts returns the English texts of a folder. It checks that the other languages have the same
// keys with the same placeholders.
func Texts(t *testing.T, files web.Files, folder string) map[string]string {
	t.Helper()
	read := func(name string) map[string]string {
		var strings map[string]string
		if err := json.Unmarshal([]byte(files.Text(folder+"/"+name+".json")), &strings); err != nil {
			t.Fatalf("%s/%s: %v", folder, name, err)
		}
		return strings
	}
	places := func(text string) string {
		found := placeholder.FindAllString(text, -1)
		slices.Sort(found)
		return strings.Join(slices.Compact(found), " ")
	}
	english := read("en")
	for _, name := range []string{"fr", "nl"} {
		other := read(name)
		for key, text := range english {
			if other[key] == "" {
				t.Errorf("%s/%s has no %q", folder, name, key)
			} else if places(other[key]) != places(text) {
				t.Errorf("%s/%s: %q must have the placeholders %s and has %s",
					folder, name, key, places(text), places(other[key]))
			}
		}
		if len(other) != len(english) {
			t.Errorf("%s/%s has %d texts, English %d", folder, name, len(other), len(english))
		}
	}
	return english
}
