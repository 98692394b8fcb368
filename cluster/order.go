package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"damier/learner"
)

// posted is an order as stored in the bucket.
type posted struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the hub's program
	Serial   uint64 `json:"serial"`  // increases with every order
	learner.Order
}

// id identifies an order. Equal orders have equal ids, also after a restart of the hub.
func (p *posted) id() string {
	text, err := json.Marshal(p.Order)
	if err != nil {
		panic(err) // JSON can encode every field
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// maxNetwork is the largest size of a network file, in bytes; larger ones are not read.
const maxNetwork = 256 << 20

// readNetwork reads a network from the object store chunk by chunk. It uses direct gets only,
// because a worker has no permission for consumers.
func readNetwork(ctx context.Context, js jetstream.JetStream, name string) ([]byte, error) {
	stream, err := js.Stream(ctx, objStream)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", name, err)
	}
	meta := "$O." + bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
	message, err := stream.GetLastMsgForSubject(ctx, meta)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", name, err)
	}
	var info jetstream.ObjectInfo
	if err := json.Unmarshal(message.Data, &info); err != nil {
		return nil, fmt.Errorf("network %s: %w", name, err)
	}
	if info.Deleted || info.Size > maxNetwork || info.NUID == "" {
		return nil, fmt.Errorf("network %s: it was deleted, or its size of %d bytes is too large", name, info.Size)
	}
	chunk := "$O." + bucket + ".C." + info.NUID
	var file []byte
	for next := uint64(1); uint64(len(file)) < info.Size; {
		m, err := stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject(chunk))
		if err != nil {
			return nil, fmt.Errorf("network %s: %w", name, err)
		}
		if uint64(len(file)+len(m.Data)) > info.Size {
			return nil, fmt.Errorf("network %s: it is longer than the announced %d bytes", name, info.Size)
		}
		file = append(file, m.Data...)
		next = m.Sequence + 1
	}
	return file, nil
}

// readOrder reads the current order.
func readOrder(ctx context.Context, kv jetstream.KeyValue) (*posted, error) {
	e, err := kv.Get(ctx, orderKey)
	if err != nil {
		return nil, err
	}
	return parseOrder(e.Value())
}

func parseOrder(text []byte) (*posted, error) {
	p := &posted{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("the order of the run: %w", err)
	}
	return p, nil
}
