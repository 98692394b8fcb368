// Package webtest is the code that the tests of the pages share: a client of their servers, and
// pages in a headless Chromium.
package webtest
