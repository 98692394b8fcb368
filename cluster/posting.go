package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"damier/learner"
)

// network is the file of a network, named by its SHA-256.
type network struct {
	name string
	file []byte
}

// postOrders publishes an order whenever the run has a new network or stage.
func (h *Hub) postOrders(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var failed error
	for {
		if h.canPostOrder(ctx) && h.remote.Changed() {
			err := h.postNewOrder(ctx)
			if err != nil && ctx.Err() == nil && (failed == nil || failed.Error() != err.Error()) {
				h.c.Warn("the network could not be sent to the workers; the hub tries again: %v", err)
			}
			failed = err
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// canPostOrder reports whether a new order can be kept without dropping one whose games are still
// on their way.
func (h *Hub) canPostOrder(ctx context.Context) bool {
	h.mu.Lock()
	full := len(h.judge.orders) >= keptOrders
	early := full && time.Since(h.judge.orders[0].replaced) < orderGrace
	stamped := full && h.judge.orders[0].last != 0
	h.mu.Unlock()
	if !full || early || stamped && !h.remote.Changed() { // no need to ask the server
		return !full
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := h.js.Stream(ctx, gamesStream)
	if err != nil {
		return false
	}
	state := s.CachedInfo().State
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.judge.canDropOldest(state.FirstSeq, state.LastSeq)
}

// postNewOrder publishes the run's current network and stage.
func (h *Hub) postNewOrder(ctx context.Context) error {
	o, file, err := h.remote.Order()
	if err == nil {
		err = h.publishOrder(ctx, o, file)
	}
	if err != nil {
		h.remote.Forget()
	}
	return err
}

// publishOrder publishes an order with its network, unless it is the current order already.
func (h *Hub) publishOrder(ctx context.Context, o learner.Order, file []byte) error {
	h.mu.Lock()
	if !slices.ContainsFunc(h.networks, func(n network) bool { return n.name == o.Network }) {
		h.networks = append(h.networks, network{o.Network, file})
		h.networks = h.networks[max(0, len(h.networks)-keptNetworks):]
	}
	p := &posted{Protocol: Protocol, Version: h.c.Version, Serial: 1, Order: o}
	if h.order != nil {
		if h.order.id() == p.id() {
			h.mu.Unlock()
			return nil
		}
		p.Serial = h.order.Serial + 1
	}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := h.store.GetInfo(ctx, o.Network); err != nil {
		if _, err := h.store.PutBytes(ctx, o.Network, file); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := h.kv.Put(ctx, orderKey, text); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	h.mu.Lock()
	h.order = p
	h.orderPosted = time.Now()
	gone := h.judge.addOrder(p)
	h.mu.Unlock()
	if err := h.nc.Publish(announceSubject, text); err != nil {
		return err
	}
	for _, name := range gone {
		if err := h.store.Delete(ctx, name); err != nil {
			h.c.Warn("network %s could not be deleted from the store: %v", name, err)
		}
	}
	return nil
}
