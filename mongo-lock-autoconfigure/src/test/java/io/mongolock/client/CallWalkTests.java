package io.mongolock.client;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The whole walk of an uncontended call, with what has returned before a request leaves:
 * how much there is to read before somebody knows what it does. Methods that only hand
 * out or keep a value are no part of it.
 */
class CallWalkTests {

	private static final int MAX_FILES = 61;

	private static final int MAX_EXCURSIONS = 38;

	@Test
	void anUncontendedCallCanBeFollowedByReading() throws Exception {
		Walk walk = walk(Calls.class);
		assertThat(walk.files).as(walk::toString).contains("client.LockTemplate").hasSizeLessThanOrEqualTo(MAX_FILES);
		assertThat(walk.excursions).as(walk::toString).hasSizeLessThanOrEqualTo(MAX_EXCURSIONS);
	}

	@Test
	void aMethodWithAPlainLockEntersNothingThatItDoesNotUse() throws Exception {
		Walk walk = walk(MethodCalls.class);
		assertThat(walk.files).as(walk::toString)
			.contains("client.LockTemplate")
			.filteredOn((file) -> file.startsWith("interceptor.") || file.startsWith("annotation."))
			.containsExactlyInAnyOrder("interceptor.LockInterceptor", "interceptor.CallWarnings",
					"interceptor.LockedCall", "interceptor.LocksExecution", "interceptor.LockRequests",
					"interceptor.LockKeyEvaluator", "interceptor.LockedMethod", "interceptor.AsyncResultDetector");
	}

	@Test
	void theClassesOfLingerAreLoadedByTheFirstAttemptThatLingers() throws Exception {
		WalkedClasses classes = new WalkedClasses();
		try (EmbeddedMongo server = EmbeddedMongo.start();
				AutoCloseable calls = calls(LingeringCalls.class, classes, server)) {
			((Runnable) calls).run();
			assertThat(classes.loaded).contains("io.mongolock.core.Linger")
				.noneMatch((name) -> name.startsWith("io.mongolock.linger."));
			((Callable<?>) calls).call();
			assertThat(classes.loaded).contains("io.mongolock.linger.IdleLeases");
		}
	}

	private static AutoCloseable calls(Class<? extends Runnable> type, WalkedClasses classes, EmbeddedMongo server)
			throws Exception {
		Constructor<?> constructor = classes.loadClass(type.getName()).getDeclaredConstructor(String.class);
		constructor.setAccessible(true);
		return (AutoCloseable) constructor.newInstance(server.connectionString());
	}

	private static Walk walk(Class<? extends Runnable> type) throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				AutoCloseable calls = calls(type, new WalkedClasses(), server)) {
			// Work that is done once is over with the first
			((Runnable) calls).run();
			await().until(CallWalkTests::renewalsAreParked);
			// What other threads of a busy machine are just at is no part of it
			return Stream.generate(() -> walk((Runnable) calls))
				.limit(20)
				.min(Comparator.comparingInt((walk) -> walk.files.size() + walk.excursions.size()))
				.orElseThrow();
		}
	}

	private static Walk walk(Runnable calls) {
		Walk.begin();
		calls.run();
		return Walk.end();
	}

	// It is woken only if it does not know yet when to look next
	private static boolean renewalsAreParked() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock-watch"))
			.allMatch((thread) -> thread.getState() == Thread.State.TIMED_WAITING);
	}

	/**
	 * A client of its own, made of classes that say when they are entered.
	 */
	static class Calls implements Runnable, AutoCloseable {

		private final MongoClient client;

		final LockTemplate template;

		Calls(String uri) {
			this.client = MongoClients.create(uri);
			MongoLockStore store = new MongoLockStore(
					new MongoTemplate(new SimpleMongoClientDatabaseFactory(this.client, "walk")), "locks", "");
			this.template = new LockTemplate(store, new ClientOptions(ConfiguredSettings.NONE,
					new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		}

		@Override
		public void run() {
			this.template.<Void, RuntimeException>execute(LockRequest.of("k"), (handle) -> null);
		}

		@Override
		public void close() {
			this.template.stop(Duration.ofSeconds(5));
			this.client.close();
		}

	}

	/**
	 * The same by a method that is annotated.
	 */
	static final class MethodCalls extends Calls {

		private final Paying paying;

		MethodCalls(String uri) {
			super(uri);
			ProxyFactory factory = new ProxyFactory((Paying) (id) -> {
			});
			factory.setInterfaces(Paying.class);
			factory.addAdvice(new LockInterceptor(new AnnotationLockOperationSource((text) -> text, ""),
					() -> this.template, new StaticListableBeanFactory()));
			this.paying = (Paying) factory.getProxy(MethodCalls.class.getClassLoader());
		}

		@Override
		public void run() {
			this.paying.pay("42");
		}

	}

	/**
	 * The same, and by the other method for a lock that lingers.
	 */
	static final class LingeringCalls extends Calls implements Callable<Long> {

		LingeringCalls(String uri) {
			super(uri);
		}

		@Override
		public Long call() {
			return this.template.execute(LockRequest.builder("k").linger(Duration.ofSeconds(1)).build(),
					LockHandle::fence);
		}

	}

	/**
	 * A service.
	 */
	interface Paying {

		@DistributedLock(name = "order", key = "#p0")
		void pay(String id);

	}

	/**
	 * What the thread of a call enters.
	 */
	public static final class Walk {

		private static volatile @Nullable Walk current;

		private final Thread thread = Thread.currentThread();

		private final Deque<String> stack = new ArrayDeque<>();

		final Set<String> files = new LinkedHashSet<>();

		final List<String> excursions = new ArrayList<>();

		final StringBuilder trace = new StringBuilder();

		static void begin() {
			current = new Walk();
		}

		static Walk end() {
			Walk walk = current;
			current = null;
			return walk;
		}

		public static void enter(String file) {
			Walk walk = current;
			if (walk != null && walk.thread == Thread.currentThread()) {
				walk.entered(file);
			}
		}

		public static void exit() {
			Walk walk = current;
			if (walk != null && walk.thread == Thread.currentThread()) {
				walk.stack.poll();
			}
		}

		private void entered(String what) {
			String file = what.substring(0, what.indexOf('#'));
			this.trace.append("  ".repeat(this.stack.size())).append(what).append('\n');
			String from = this.stack.peek();
			if (from != null && from.startsWith("client.") && !file.startsWith("client.")) {
				this.excursions.add(from + " -> " + what);
			}
			this.files.add(file);
			this.stack.push(file);
		}

		@Override
		public String toString() {
			return this.files.size() + " files: " + this.files + "; " + this.excursions.size() + " excursions: "
					+ this.excursions + "\n" + this.trace;
		}

	}

	/**
	 * Loads the classes of the product anew, each method with a call at its begin and
	 * ends.
	 */
	private static final class WalkedClasses extends ClassLoader {

		private static final String WALK = Walk.class.getName().replace('.', '/');

		final Set<String> loaded = ConcurrentHashMap.newKeySet();

		private WalkedClasses() {
			super(CallWalkTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			boolean ours = name.startsWith("io.mongolock.") && !name.startsWith("io.mongolock.test.")
					&& !name.startsWith(Walk.class.getName());
			Class<?> loaded = findLoadedClass(name);
			if (loaded != null || !ours) {
				return (loaded != null) ? loaded : super.loadClass(name, resolve);
			}
			byte[] walked = walked(name);
			this.loaded.add(name);
			return defineClass(name, walked, 0, walked.length);
		}

		private byte[] walked(String name) throws ClassNotFoundException {
			try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (in == null) {
					throw new ClassNotFoundException(name);
				}
				ClassReader reader = new ClassReader(in);
				Set<String> doing = new HashSet<>();
				reader.accept(new ClassVisitor(Opcodes.ASM9) {

					@Override
					public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
							String[] exceptions) {
						return new DoingMethod(() -> doing.add(method + descriptor));
					}

				}, 0);
				ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
				String file = name.substring("io.mongolock.".length()).split("\\$")[0];
				reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {

					@Override
					public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
							String[] exceptions) {
						MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
						return (name.startsWith(CallWalkTests.class.getName()) || !doing.contains(method + descriptor))
								? next : new WalkedMethod(next, file + "#" + method);
					}

				}, 0);
				return writer.toByteArray();
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

		/**
		 * Hands out or keeps a value, or does something: calls, decides or creates.
		 */
		private static final class DoingMethod extends MethodVisitor {

			private final Runnable does;

			private DoingMethod(Runnable does) {
				super(Opcodes.ASM9);
				this.does = does;
			}

			@Override
			public void visitJumpInsn(int opcode, Label label) {
				this.does.run();
			}

			@Override
			public void visitTypeInsn(int opcode, String type) {
				if (opcode == Opcodes.NEW) {
					this.does.run();
				}
			}

			@Override
			public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean inInterface) {
				boolean ofSuperclass = name.equals("<init>") && descriptor.equals("()V");
				if (!ofSuperclass) {
					this.does.run();
				}
			}

			@Override
			public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
				this.does.run();
			}

		}

		private static final class WalkedMethod extends MethodVisitor {

			private final String file;

			private WalkedMethod(MethodVisitor next, String file) {
				super(Opcodes.ASM9, next);
				this.file = file;
			}

			@Override
			public void visitCode() {
				super.visitCode();
				visitLdcInsn(this.file);
				visitMethodInsn(Opcodes.INVOKESTATIC, WALK, "enter", "(Ljava/lang/String;)V", false);
			}

			@Override
			public void visitInsn(int opcode) {
				if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
					visitMethodInsn(Opcodes.INVOKESTATIC, WALK, "exit", "()V", false);
				}
				super.visitInsn(opcode);
			}

		}

	}

}
