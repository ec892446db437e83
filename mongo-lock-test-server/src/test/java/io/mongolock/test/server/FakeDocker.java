package io.mongolock.test.server;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Answers what Testcontainers asks Docker for one container of MongoDB, which has every
 * image and whose port 27017 is one of this machine. Runs nothing. Thread-safe.
 */
final class FakeDocker implements AutoCloseable {

	private static final String NO_CONTENT = "";

	private final HttpServer server;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<String> requests = new CopyOnWriteArrayList<>();

	private final int mongoPort;

	private FakeDocker(HttpServer server, int mongoPort) {
		this.server = server;
		this.mongoPort = mongoPort;
	}

	static FakeDocker start(int mongoPort) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		FakeDocker docker = new FakeDocker(server, mongoPort);
		server.createContext("/", docker::handle);
		server.setExecutor(docker.threads);
		server.start();
		return docker;
	}

	/**
	 * Where it listens, as {@code DOCKER_HOST} names it.
	 */
	String host() {
		return "tcp://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/**
	 * What it was asked: the method, the path without the version, and the body.
	 */
	List<String> requests() {
		return this.requests;
	}

	private void handle(HttpExchange exchange) throws IOException {
		try (exchange) {
			String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
			String path = exchange.getRequestURI().getPath().replaceFirst("^/v[\\d.]+", "");
			String asked = exchange.getRequestMethod() + " " + path;
			this.requests.add(asked + " " + body);
			answer(exchange, asked);
		}
	}

	private void answer(HttpExchange exchange, String asked) throws IOException {
		switch (asked) {
			case "GET /_ping" -> send(exchange, 200, "OK");
			case "GET /info" -> send(exchange, 200, """
					{"ServerVersion": "28.0", "OperatingSystem": "none", "OSType": "linux", "MemTotal": 1}""");
			case "GET /version" -> send(exchange, 200, """
					{"ApiVersion": "1.44", "Version": "28.0", "Os": "linux", "Arch": "amd64"}""");
			case "GET /images/json", "GET /containers/json" -> send(exchange, 200, "[]");
			case "POST /containers/create" -> send(exchange, 201, "{\"Id\": \"one\", \"Warnings\": []}");
			case "GET /containers/one/json" -> send(exchange, 200, container());
			case "GET /containers/one/logs" -> stream(exchange, "Waiting for connections\n");
			case "POST /containers/one/exec" -> send(exchange, 201, "{\"Id\": \"command\"}");
			case "POST /exec/command/start" -> stream(exchange, "done\n");
			case "GET /exec/command/json" -> send(exchange, 200, "{\"Running\": false, \"ExitCode\": 0}");
			default -> answerOther(exchange, asked);
		}
	}

	private void answerOther(HttpExchange exchange, String asked) throws IOException {
		if (asked.startsWith("GET /images/")) {
			send(exchange, 200, """
					{"Id": "sha256:1", "Created": "2026-01-01T00:00:00Z", "Architecture": "amd64", "Config": {}}""");
		}
		else if (asked.endsWith("/prune")) {
			send(exchange, 200, "{}");
		}
		else {
			send(exchange, 204, NO_CONTENT);
		}
	}

	private String container() {
		return """
				{"Id": "one", "Name": "/one", "Created": "2026-01-01T00:00:00Z", "Image": "sha256:1",
				 "State": {"Status": "running", "Running": true, "StartedAt": "2026-01-01T00:00:00Z"},
				 "Config": {"ExposedPorts": {"27017/tcp": {}}, "Labels": {}},
				 "HostConfig": {"NetworkMode": "default"},
				 "NetworkSettings": {"Ports": {"27017/tcp": [{"HostIp": "0.0.0.0", "HostPort": "%d"}]}}}"""
			.formatted(this.mongoPort);
	}

	private static void send(HttpExchange exchange, int status, String body) throws IOException {
		byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(status, (bytes.length != 0) ? bytes.length : -1);
		if (bytes.length > 0) {
			exchange.getResponseBody().write(bytes);
		}
	}

	// A frame of stdout
	private static void stream(HttpExchange exchange, String line) throws IOException {
		byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/vnd.docker.raw-stream");
		exchange.sendResponseHeaders(200, 0);
		OutputStream out = exchange.getResponseBody();
		out.write(ByteBuffer.allocate(8).putInt(1 << 24).putInt(bytes.length).array());
		out.write(bytes);
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
