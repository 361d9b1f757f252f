"""The arena over HTTP: an application that calls the service, and says what it refuses."""
