package io.mongolock.test.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One message of the wire protocol, whose bytes are never changed. Immutable.
 */
public final class Message {

	private static final int OP_REPLY = 1;

	static final int OP_QUERY = 2004;

	static final int OP_MSG = 2013;

	static final int HEADER_BYTES = 16;

	/** The size of the largest message that a server accepts. */
	private static final int MAX_LENGTH = 48_000_000;

	private static final int MORE_TO_COME = 1 << 1;

	private final byte[] bytes;

	private final ByteBuffer view;

	Message(byte[] bytes) {
		this.bytes = bytes;
		this.view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
	}

	/**
	 * Read the next message.
	 * @param in the stream to read from
	 * @return the message, or {@code null} if the stream ended before its last byte
	 * @throws IOException if the stream failed or contains something else
	 */
	public static @Nullable Message read(InputStream in) throws IOException {
		byte[] start = in.readNBytes(Integer.BYTES);
		if (start.length < Integer.BYTES) {
			return null;
		}
		int length = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getInt();
		if (length < HEADER_BYTES || length > MAX_LENGTH) {
			throw new IOException("A message of " + length + " bytes is not of the MongoDB wire protocol ("
					+ HEADER_BYTES + " to " + MAX_LENGTH + "); is TLS on?");
		}
		byte[] bytes = Arrays.copyOf(start, length);
		int rest = length - Integer.BYTES;
		return (in.readNBytes(bytes, Integer.BYTES, rest) != rest) ? null : new Message(bytes);
	}

	/**
	 * The command that it carries. The contents of separate sections are put into their
	 * places.
	 * @return the document, empty if it carries no command
	 */
	public BsonDocument command() {
		return Command.of(this).document();
	}

	/**
	 * Answer it, as a server does.
	 * @param answer the answer
	 * @return the bytes of the reply
	 */
	public byte[] reply(BsonDocument answer) {
		byte[] body = encoded(answer);
		boolean legacy = opCode() != OP_MSG;
		int length = HEADER_BYTES + ((legacy) ? 20 : 5) + body.length;
		ByteBuffer reply = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
		reply.putInt(length).putInt(0).putInt(requestId()).putInt((legacy) ? OP_REPLY : OP_MSG).putInt(0);
		if (legacy) {
			reply.putLong(0).putInt(0).putInt(1);
		}
		else {
			reply.put((byte) 0);
		}
		return reply.put(body).array();
	}

	/**
	 * A request as clients send it.
	 * @param id the number that its answer will refer to
	 * @param command the command, with its {@code $db}
	 * @return the bytes of the request
	 */
	public static byte[] request(int id, BsonDocument command) {
		byte[] body = encoded(command);
		int length = HEADER_BYTES + 5 + body.length;
		ByteBuffer request = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
		request.putInt(length).putInt(id).putInt(0).putInt(OP_MSG).putInt(0).put((byte) 0);
		return request.put(body).array();
	}

	private static byte[] encoded(BsonDocument document) {
		BasicOutputBuffer out = new BasicOutputBuffer();
		new BsonDocumentCodec().encode(new BsonBinaryWriter(out), document, EncoderContext.builder().build());
		return out.toByteArray();
	}

	byte[] bytes() {
		return this.bytes;
	}

	int requestId() {
		return int32(4);
	}

	int responseTo() {
		return int32(8);
	}

	int opCode() {
		return int32(12);
	}

	/**
	 * Whether the sender says that it wants no answer, or that another reply follows by
	 * itself.
	 * @return whether the flag is set
	 */
	boolean moreToCome() {
		return opCode() == OP_MSG && (int32(HEADER_BYTES) & MORE_TO_COME) != 0;
	}

	int int32(int offset) {
		return this.view.getInt(offset);
	}

	/**
	 * The end of a zero-terminated string.
	 * @param offset the offset of its start
	 * @return the offset of its zero
	 */
	int endOfString(int offset) {
		int end = offset;
		while (this.bytes[end] != 0) {
			end++;
		}
		return end;
	}

}
