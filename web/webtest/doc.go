// Package webtest is the code that the tests of the pages share: a client of their servers, pages
// in a headless Chromium, and a network of even values.
package webtest
