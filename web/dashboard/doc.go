// Package dashboard shows a training run in the browser. A [Dashboard] reads it through a [Run]:
// its growing metrics, its games in progress, and its networks' evaluations of a position. The
// page polls for new data; the server reads nothing while no page polls.
package dashboard
