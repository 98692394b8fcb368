package dashboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"mime"
	"net/http"
	"time"

	"damier/web"
)

// networks answers with the generations whose networks the run has kept.
func (d *Dashboard) networks(s *shown, w http.ResponseWriter, _ *http.Request) error {
	generations, err := s.Generations()
	if err != nil {
		return err
	}
	if generations == nil {
		generations = []int{}
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{"generations": generations}))
	return nil
}

// network answers with the name, the size, the SHA-256 and the command of a network.
func (d *Dashboard) network(s *shown, w http.ResponseWriter, r *http.Request) error {
	return d.withNetwork(s, r, func(generation int, f NetworkFile) {
		sum := sha256.Sum256(f.Content)
		web.WriteJSON(w, 200, web.Encode(map[string]any{
			"generation": generation, "name": f.Name, "bytes": len(f.Content),
			"sha256": hex.EncodeToString(sum[:]), "play": f.Play,
		}))
	})
}

// networkFile answers with the file of a network.
func (d *Dashboard) networkFile(s *shown, w http.ResponseWriter, r *http.Request) error {
	return d.withNetwork(s, r, func(_ int, f NetworkFile) {
		// The error is ignored because a test's recorder has no deadline.
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(fileTime))
		h := w.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Disposition",
			mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
		http.ServeContent(w, r, f.Name, time.Time{}, bytes.NewReader(f.Content))
	})
}

// withNetwork reads the network of the generation that a request names and calls use. The number of
// networks in memory is bounded, because only maxFiles requests have one at a time.
func (d *Dashboard) withNetwork(
	s *shown, r *http.Request, use func(generation int, f NetworkFile),
) error {
	generation, err := parameter(r, "generation", -1, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	if generation < 0 {
		return web.Refuse(http.StatusUnprocessableEntity, "request",
			"a generation is needed: generation=N, one of those that /api/networks lists")
	}
	select {
	case d.files <- struct{}{}:
		defer func() { <-d.files }()
	case <-r.Context().Done():
		return nil
	}
	f, err := s.NetworkFile(generation)
	if errors.Is(err, fs.ErrNotExist) {
		return web.Refuse(http.StatusNotFound, "network",
			"the run has not kept the network of generation %d", generation)
	}
	if err != nil {
		return err
	}
	use(generation, f)
	return nil
}
