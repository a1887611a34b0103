// Makes every call of the library of Svix that Junction serves, and prints what it got as JSON. Only the address and the token are Junction's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	svix "github.com/svix/svix-webhooks/go"
	"github.com/svix/svix-webhooks/go/models"
	"github.com/svix/svix-webhooks/go/utils"
)

var (
	ctx  = context.Background()
	seen = map[string]any{}
)

func main() {
	if os.Args[1] == "verify" {
		verify(os.Args[2], os.Args[3], os.Args[4])
		return
	}
	address, token, limited, receiver := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	one := client(address, token)
	name := fmt.Sprintf("go.p%d.paid", os.Getpid())
	eventTypes(one, name)
	app := applications(one)
	endpoints(one, app, name, receiver)
	messages(one, app, name)
	portal := tasksAndPortal(one, app, address)
	refusals(map[string]func() error{
		"not_found": func() error { _, err := one.Application.Get(ctx, "nobody"); return err },
		"conflict": func() error {
			_, err := one.Application.Create(ctx, models.ApplicationIn{Name: "x", Uid: app.Uid}, nil)
			return err
		},
		"invalid": func() error {
			_, err := one.Endpoint.Create(ctx, app.Id, models.EndpointIn{Url: "nonsense"}, nil)
			return err
		},
		"unauthorized":  func() error { _, err := portal.Endpoint.List(ctx, app.Id, nil); return err },
		"not_supported": func() error { _, err := one.Statistics.AggregateEventTypes(ctx); return err },
		"limited":       func() error { _, err := client(address, limited).Application.List(ctx, nil); return err },
	})
	done(one.Endpoint.Delete(ctx, app.Id, "main"))
	done(one.EventType.Delete(ctx, name, nil))
	done(one.Application.Delete(ctx, app.Id))
	text, err := json.Marshal(seen)
	done(err)
	fmt.Println(string(text))
}

func client(address string, token string) *svix.Svix {
	server, err := url.Parse(address)
	done(err)
	made, err := svix.New(token, &svix.SvixOptions{ServerUrl: server})
	done(err)
	return made
}

func eventTypes(one *svix.Svix, name string) {
	done(one.Health.Get(ctx))
	schemas := map[string]any{"1": map[string]any{"type": "object"}}
	note("type")(one.EventType.Create(ctx, models.EventTypeIn{Name: name, Description: "Paid", Schemas: &schemas}, nil))
	note("type.get")(one.EventType.Get(ctx, name))
	note("type.update")(one.EventType.Update(ctx, name, models.EventTypeUpdate{Description: "Is paid"}))
	patch := models.EventTypePatch{Deprecated: to(true), GroupName: utils.NewNullable("billing")}
	note("type.patch")(one.EventType.Patch(ctx, name, patch))
	note("types")(one.EventType.List(ctx, &svix.EventTypeListOptions{Limit: to(uint64(250))}))
}

func applications(one *svix.Svix) *models.ApplicationOut {
	uid := fmt.Sprintf("go-%d", os.Getpid())
	in := models.ApplicationIn{Name: "Acme", Uid: &uid, Metadata: &map[string]string{"plan": "pro"}}
	app := get(one.Application.Create(ctx, in, nil))
	seen["app"] = app
	note("app.get")(one.Application.Get(ctx, uid))
	note("app.get_or_create")(one.Application.GetOrCreate(ctx, in, nil))
	note("app.update")(one.Application.Update(ctx, app.Id, models.ApplicationIn{Name: "Acme, Inc.", Uid: &uid}))
	patch := models.ApplicationPatch{Metadata: &map[string]string{"plan": "max"}}
	note("app.patch")(one.Application.Patch(ctx, app.Id, patch))
	other := get(one.Application.Create(ctx, models.ApplicationIn{Name: "Other"}, nil))
	page := get(one.Application.List(ctx, &svix.ApplicationListOptions{Limit: to(uint64(1)), Iterator: &app.Id}))
	seen["other"], seen["apps.next"] = other, page
	seen["apps.back"] = get(one.Application.List(ctx, &svix.ApplicationListOptions{Iterator: page.PrevIterator}))
	done(one.Application.Delete(ctx, other.Id))
	return app
}

func endpoints(one *svix.Svix, app *models.ApplicationOut, name string, receiver string) {
	main, metadata := "main", map[string]string{"a": "b"}
	in := models.EndpointIn{Url: receiver, Uid: &main, FilterTypes: []string{name}, Metadata: &metadata}
	note("endpoint")(one.Endpoint.Create(ctx, app.Id, in, nil))
	note("endpoint.get")(one.Endpoint.Get(ctx, app.Id, main))
	update := models.EndpointUpdate{Url: receiver, Uid: &main, Description: to("Hook")}
	note("endpoint.update")(one.Endpoint.Update(ctx, app.Id, main, update))
	note("endpoint.patch")(one.Endpoint.Patch(ctx, app.Id, main, models.EndpointPatch{Description: to("The hook")}))
	note("endpoints")(one.Endpoint.List(ctx, app.Id, &svix.EndpointListOptions{Limit: to(uint64(1))}))
	note("secret")(one.Endpoint.GetSecret(ctx, app.Id, main))
	headers := models.EndpointHeadersIn{Headers: map[string]string{"X-A": "1", "X-B": "2"}}
	done(one.Endpoint.UpdateHeaders(ctx, app.Id, main, headers))
	change := models.EndpointHeadersPatchIn{Headers: map[string]string{"X-C": "3"}, DeleteHeaders: []string{"X-B"}}
	done(one.Endpoint.PatchHeaders(ctx, app.Id, main, change))
	note("headers")(one.Endpoint.GetHeaders(ctx, app.Id, main))
}

func messages(one *svix.Svix, app *models.ApplicationOut, name string) {
	in := models.MessageIn{
		EventType: name,
		EventId:   to("inv-1"),
		Payload:   map[string]any{"n": 1, "text": "<ü & 😀>"},
		Channels:  []string{"eu"},
		Tags:      []string{"blue"},
	}
	options := &svix.MessageCreateOptions{IdempotencyKey: to(fmt.Sprintf("go-%d", os.Getpid()))}
	message := get(one.Message.Create(ctx, app.Id, in, options))
	seen["message"] = message
	note("message.again")(one.Message.Create(ctx, app.Id, in, options))
	note("message.get")(one.Message.Get(ctx, app.Id, "inv-1", nil))
	note("messages")(one.Message.List(ctx, app.Id, &svix.MessageListOptions{Limit: to(uint64(10)), Channel: to("eu")}))
	attempts := get(one.MessageAttempt.ListByMsg(ctx, app.Id, message.Id, nil))
	for tries := 0; len(attempts.Data) == 0 || attempts.Data[0].Status != models.MESSAGESTATUS_SUCCESS; tries++ {
		if tries == 300 {
			done(errors.New("a state did not come"))
		}
		time.Sleep(100 * time.Millisecond)
		attempts = get(one.MessageAttempt.ListByMsg(ctx, app.Id, message.Id, nil))
	}
	seen["attempts.msg"] = attempts
	note("attempt")(one.MessageAttempt.Get(ctx, app.Id, message.Id, attempts.Data[0].Id, nil))
	options5 := &svix.MessageAttemptListByEndpointOptions{Limit: to(uint64(5))}
	note("attempts.endpoint")(one.MessageAttempt.ListByEndpoint(ctx, app.Id, "main", options5))
	note("endpoint.messages")(one.MessageAttempt.ListAttemptedMessages(ctx, app.Id, "main", nil))
	note("message.endpoints")(one.MessageAttempt.ListAttemptedDestinations(ctx, app.Id, message.Id, nil))
	_, err := one.MessageAttempt.Resend(ctx, app.Id, message.Id, "main", nil)
	done(err)
}

func tasksAndPortal(one *svix.Svix, app *models.ApplicationOut, address string) *svix.Svix {
	since := time.Now().Add(-time.Hour)
	task := get(one.Endpoint.Recover(ctx, app.Id, "main", models.RecoverIn{Since: since}, nil))
	seen["recover"] = task
	note("task")(one.BackgroundTask.Get(ctx, task.Id))
	note("replay")(one.Endpoint.ReplayMissing(ctx, app.Id, "main", models.ReplayIn{Since: since}, nil))
	done(one.Endpoint.RotateSecret(ctx, app.Id, "main", models.EndpointSecretRotateIn{}, nil))
	note("secret.rotated")(one.Endpoint.GetSecret(ctx, app.Id, "main"))
	access := get(one.Authentication.AppPortalAccess(ctx, app.Id, models.AppPortalAccessIn{}, nil))
	portal := client(address, access.Token)
	note("portal.endpoints")(portal.Endpoint.List(ctx, app.Id, nil))
	done(portal.Authentication.Logout(ctx, nil))
	return portal
}

func refusals(calls map[string]func() error) {
	for what, call := range calls {
		var refused *svix.Error
		if !errors.As(call(), &refused) {
			done(fmt.Errorf("%s was not refused", what))
		}
		seen["error."+what] = map[string]any{"status": refused.Status(), "body": json.RawMessage(refused.Body())}
	}
}

func verify(secret string, body string, headers string) {
	named := map[string]string{}
	done(json.Unmarshal([]byte(headers), &named))
	given := http.Header{}
	for key, value := range named {
		given.Set(key, value)
	}
	webhook, err := svix.NewWebhook(secret)
	done(err)
	done(webhook.Verify([]byte(body), given))
}

func note(name string) func(any, error) {
	return func(value any, err error) { seen[name] = get(value, err) }
}

func get[T any](value T, err error) T {
	done(err)
	return value
}

func done(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	var refused *svix.Error
	if errors.As(err, &refused) {
		fmt.Fprintln(os.Stderr, string(refused.Body()))
	}
	os.Exit(1)
}

func to[T any](value T) *T { return &value }
