// Package chart is what the pictures of the program share: colours, lines, and panels side by side in a PNG file. It holds
// what gonum.org/v1/plot leaves to its user.
package chart
