// Package chart has what the pictures of the program share on top of gonum.org/v1/plot: colours,
// lines, and panels side by side in a PNG file.
package chart
