//! HTTP and WebSocket on the loopback interface.
