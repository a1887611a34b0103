package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// server answers with what the handlers return, one after the other, and collects the requests and the waits between them.
type server struct {
	client   *Client
	requests []*http.Request
	bodies   []string
	waits    []time.Duration
}

func start(t *testing.T, handlers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.requests = append(s.requests, r)
		s.bodies = append(s.bodies, string(body))
		handlers[min(len(s.requests), len(handlers))-1](w, r)
	}))
	t.Cleanup(listener.Close)
	client, err := New(listener.URL, "jn_test_key", "test", "2026-01-01")
	if err != nil {
		t.Fatal(err)
	}
	client.sleep = func(ctx context.Context, wait time.Duration) error {
		s.waits = append(s.waits, wait)
		return ctx.Err()
	}
	s.client = client
	return s
}

func answer(status int, header, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set("Retry-After", header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func cut(w http.ResponseWriter, _ *http.Request) {
	connection, _, _ := w.(http.Hijacker).Hijack()
	_ = connection.Close()
}

func TestAWriteIsSentAgainWithOneIdempotencyKey(t *testing.T) {
	busy := `{"title":"Wait.","status":409,"code":"idempotency_in_progress"}`
	s := start(t, cut, answer(429, "7", `{"title":"Too many."}`), answer(503, "", ""), answer(409, "1", busy), answer(201, "", `{"id":"ep_1"}`))
	text, err := s.client.Write(context.Background(), "POST", "/v1/webhook-endpoints", []byte(`{"a":1}`))
	if err != nil || string(text) != `{"id":"ep_1"}` {
		t.Fatal(string(text), err)
	}
	for i, request := range s.requests {
		if key := request.Header.Get("Idempotency-Key"); key == "" || key != s.requests[0].Header.Get("Idempotency-Key") || s.bodies[i] != `{"a":1}` {
			t.Errorf("request %d has the key %q and the body %s", i, key, s.bodies[i])
		}
	}
	if len(s.waits) != 4 || s.waits[1] != 7*time.Second || s.waits[3] != time.Second {
		t.Errorf("the waits are %v", s.waits)
	}
	if _, err := s.client.Write(context.Background(), "POST", "/v1/webhook-endpoints", nil); err != nil {
		t.Fatal(err)
	}
	if first, next := s.requests[0].Header.Get("Idempotency-Key"), s.requests[5].Header.Get("Idempotency-Key"); first == next {
		t.Error("two writes have one key")
	}
}

func TestARefusalIsNotSentAgain(t *testing.T) {
	s := start(t, answer(422, "", `{"title":"Not valid.","code":"validation_failed","request_id":"req_1","errors":[{"pointer":"/a~1b/0","code":"x","message":"No."}]}`))
	_, err := s.client.Write(context.Background(), "POST", "/v1/rules", []byte(`{}`))
	var problem *Problem
	if !errors.As(err, &problem) || problem.Code != "validation_failed" || len(s.requests) != 1 {
		t.Fatal(err, len(s.requests))
	}
	if parts := problem.Faults[0].Parts(); len(parts) != 2 || parts[0] != "a/b" || parts[1] != "0" {
		t.Error(parts)
	}
}

func TestTheTriesEnd(t *testing.T) {
	s := start(t, answer(503, "", ""))
	if _, err := s.client.Get(context.Background(), "/"); err == nil || len(s.requests) != attempts {
		t.Error(err, len(s.requests))
	}
	s = start(t, answer(429, "86400", ""))
	if _, err := s.client.Get(context.Background(), "/"); err == nil || len(s.requests) != 1 {
		t.Error("a day was waited for", err, len(s.requests))
	}
	ctx, cancel := context.WithCancel(context.Background())
	s = start(t, func(http.ResponseWriter, *http.Request) { cancel() }, cut)
	if _, err := s.client.Get(ctx, "/"); err == nil || len(s.requests) != 1 {
		t.Error("a canceled run went on", err, len(s.requests))
	}
}

func TestAChangeThatWaitsForAnApprovalSaysSo(t *testing.T) {
	s := start(t, answer(202, "", `{"object":"proposal","id":"prop_1"}`))
	_, err := s.client.Write(context.Background(), "POST", "/v1/rules", []byte(`{}`))
	if err == nil || !strings.Contains(err.Error(), "The proposal is prop_1. Once it is approved, apply again.") {
		t.Error(err)
	}
}

func TestTheKeyGoesToNoOtherAddress(t *testing.T) {
	other := start(t, answer(200, "", "{}"))
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.client.base.String(), http.StatusTemporaryRedirect)
	})
	if _, err := s.client.Get(context.Background(), "/"); err == nil || len(other.requests) != 0 {
		t.Error("a redirect was followed", err)
	}
	for _, url := range []string{"http://junction.example.com", "junction.example.com", "https://a:b@example.com", "https://example.com/?a", "ftp://127.0.0.1", ""} {
		if _, err := New(url, "jn_test_key", "test", ""); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	for _, key := range []string{"", "a b", "a\r\nX-Other: 1"} {
		if _, err := New("https://example.com", key, "test", ""); err == nil {
			t.Errorf("the key %q is taken", key)
		}
	}
}

func TestAPageOfAProxyIsNoAnswer(t *testing.T) {
	s := start(t, answer(404, "", "<html>Not found</html>"))
	_, err := s.client.Get(context.Background(), "/v1/rules/rule_1")
	var problem *Problem
	if !errors.As(err, &problem) || problem.Code != "" || !strings.Contains(problem.Error(), "Check base_url") {
		t.Error(err)
	}
	s = start(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, largestAnswer+1)) })
	if _, err := s.client.Get(context.Background(), "/"); err == nil {
		t.Error("an endless answer was read")
	}
}
