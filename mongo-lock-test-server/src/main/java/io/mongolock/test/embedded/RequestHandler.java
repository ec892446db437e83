package io.mongolock.test.embedded;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.ClientRequest;
import de.bwaldvogel.mongo.wire.message.MessageHeader;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import de.bwaldvogel.mongo.wire.message.MongoReply;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;

/**
 * Answers the requests of one connection, in their order. Only a {@code getMore} that
 * waits for the events of a change stream lets later requests pass. This class replaces
 * the library's handler, which logs a stack trace for every error in an answer, and for
 * every client that goes away.
 */
final class RequestHandler extends SimpleChannelInboundHandler<ClientRequest> {

	private final AtomicInteger requestIds = new AtomicInteger();

	private final EmbeddedBackend backend;

	private final ChannelGroup connections;

	RequestHandler(EmbeddedBackend backend, ChannelGroup connections) {
		this.backend = backend;
		this.connections = connections;
	}

	@Override
	public void channelActive(ChannelHandlerContext context) {
		this.connections.add(context.channel());
	}

	@Override
	protected void channelRead0(ChannelHandlerContext context, ClientRequest request) {
		MessageHeader header = new MessageHeader(this.requestIds.incrementAndGet(), request.getHeader().getRequestID());
		if (request instanceof MongoMessage message) {
			answer(context, request, message.getDocument())
				.thenAccept((reply) -> context.writeAndFlush(new MongoMessage(context.channel(), header, reply)));
		}
		else if (request instanceof MongoQuery query && "$cmd".equals(query.getCollectionName())) {
			// Drivers introduce themselves this way before they know the server's version
			Document command = (query.getQuery().get("$query") instanceof Document nested) ? nested : query.getQuery();
			answer(context, request, command)
				.thenAccept((reply) -> context.writeAndFlush(new MongoReply(header, List.of(reply), 0)));
		}
		else {
			context.close();
		}
	}

	private CompletableFuture<Document> answer(ChannelHandlerContext context, ClientRequest request, Document command) {
		return this.backend.answer(context.channel(), request.getDatabaseName(), command);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		// the client was killed, or sends bytes that are no request
		context.close();
	}

}
