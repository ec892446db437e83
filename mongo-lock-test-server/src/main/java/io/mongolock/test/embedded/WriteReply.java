package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;

/**
 * The answer to a write.
 *
 * @param document the answer
 * @param wrote whether anything was written; only then does a server remember the answer,
 * for a driver that sends the write again
 * @param remembered the answer to remember
 */
record WriteReply(Document document, boolean wrote, Document remembered) {

	WriteReply(Document document, boolean wrote) {
		this(document, wrote, document);
	}

}
