package io.mongolock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import com.mongodb.client.MongoClient;
import org.bson.Document;

/**
 * What a server did until a time, or within a second of a while.
 *
 * @param nanos the time, or how long the while was
 * @param requests how many it answered
 * @param documents how many it updated
 * @param bytes how many it read and wrote
 * @param cpu hundredths of a second that it computed, or its share of a core
 */
record Usage(long nanos, double requests, double documents, double bytes, double cpu) {

	static Usage of(MongoClient client) throws IOException {
		Document status = client.getDatabase("admin").runCommand(new Document("serverStatus", 1));
		Document network = status.get("network", Document.class);
		Document documents = status.get("metrics", Document.class).get("document", Document.class);
		return new Usage(System.nanoTime(), number(network, "numRequests"), number(documents, "updated"),
				number(network, "bytesIn") + number(network, "bytesOut"), cpuTicks(number(status, "pid")));
	}

	Usage since(Usage before) {
		double seconds = (this.nanos - before.nanos) / 1e9;
		return new Usage(this.nanos - before.nanos, (this.requests - before.requests) / seconds,
				(this.documents - before.documents) / seconds, (this.bytes - before.bytes) / seconds,
				(this.cpu - before.cpu) / 100 / seconds);
	}

	private static double number(Document document, String name) {
		return document.get(name, Number.class).doubleValue();
	}

	// Hundredths of a second; the name of the program, in parentheses, may have blanks
	private static double cpuTicks(double pid) throws IOException {
		Path stat = Path.of("/proc", String.valueOf((long) pid), "stat");
		if (!Files.exists(stat)) {
			return Double.NaN;
		}
		String text = Files.readString(stat);
		String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
		return Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
	}

}
