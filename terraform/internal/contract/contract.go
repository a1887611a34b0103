// Package contract describes what the provider manages: its resources, and how the API shows them. The description itself,
// generated/contract.json, is written by tools/generate-sdks.ts from openapi/openapi.json.
package contract

import (
	_ "embed"
	"encoding/json"
)

// Kind is the kind of a value in a configuration.
type Kind string

const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Number  Kind = "number"
	Bool    Kind = "bool"
	// List is a list of Type.Of.
	List Kind = "list"
	// Map is a map of Type.Of.
	Map Kind = "map"
	// Object is an object of Type.Members.
	Object Kind = "object"
	// JSON is a text with any JSON value, whose numbers and order of members are kept.
	JSON Kind = "json"
)

// Type is the type of a member.
type Type struct {
	Kind    Kind
	Of      *Type
	Members []Member
	// Values are the only texts that are allowed; all of them if it is empty.
	Values []string
}

// Member is one member of a resource, of a request or a response or both.
type Member struct {
	Name        string
	Description string
	Type        Type
	// Input is true for a member that a configuration can set.
	Input    bool
	Required bool
	// Replace is true for a member that no update accepts.
	Replace bool
	// Chosen is true for a member that the service chooses, or leaves as it is, where the configuration says nothing.
	Chosen bool
	// Stable is true for a member of a response that no update changes.
	Stable    bool
	Sensitive bool
	// InPath is true for a member that is part of the path and not of the body.
	InPath bool
	// Sent is the member's name in requests, and Shown that in responses, if they differ from Name.
	Sent  string
	Shown string
	// Default is the value that the API assumes for an omitted member; nil for none.
	Default json.RawMessage
}

// Operation is one call. {name} in its path is the member of that name.
type Operation struct {
	Method string
	Path   string
}

// Resource is one kind of object.
type Resource struct {
	// Name follows junction_ in configurations.
	Name        string
	Description string
	// Identity is the member that names an object in paths, and in imports.
	Identity string
	Create   Operation
	// Read returns one object or, with Listed, a list to find it in.
	Read   Operation
	Listed bool
	Update Operation
	Delete Operation
	// Gone is the member of a response that has a value once the object has ended; "" if ended objects are not shown.
	Gone    string
	Members []Member
	// Shown are all members of a response, for the data source.
	Shown []Member
}

//go:embed generated/contract.json
var text []byte

// APIVersion is the dated version of the API for which the provider was generated. Resources are sorted by name.
var (
	APIVersion string
	Resources  []Resource
)

func init() {
	var generated struct {
		APIVersion string
		Resources  []Resource
	}
	if err := json.Unmarshal(text, &generated); err != nil {
		panic(err)
	}
	APIVersion, Resources = generated.APIVersion, generated.Resources
}
