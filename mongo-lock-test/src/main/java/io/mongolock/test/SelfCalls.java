package io.mongolock.test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.Frame;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.check.WovenMethods;

/**
 * Finds calls of {@code @DistributedLock} methods on the same object. Such calls do not
 * pass the proxy, so they run without their lock. Reads the byte code of the beans'
 * classes, their superclasses, interfaces, lambdas and inner classes. Each call that it
 * finds is certain. A call on an injected proxy of the same bean is not reported. A call
 * whose caller already has the same lock is not reported, either.
 */
public final class SelfCalls {

	/** The object that a method was called on. */
	private static final BasicValue SELF = new BasicValue(Type.getObjectType("self"));

	private final Map<String, List<LockOperation>> locked = new HashMap<>();

	private final LockOperationSource source;

	private final Set<String> found = new TreeSet<>();

	private SelfCalls(Class<?> type, LockOperationSource source) {
		this.source = source;
		MethodIntrospector
			.selectMethods(type,
					(MethodIntrospector.MetadataLookup<List<LockOperation>>) (method) -> locks(method, type))
			.forEach((method, locks) -> this.locked.put(signature(method), locks));
		for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
			List<LockOperation> locks = this.locked.get(signature(BridgeMethodResolver.findBridgedMethod(method)));
			if (method.isBridge() && locks != null) {
				this.locked.put(signature(method), locks);
			}
		}
	}

	/**
	 * Fail if a bean of an application calls such a method on itself.
	 * @param context the context of the application
	 * @throws AssertionError if there is such a call; the message names them all
	 */
	public static void assertNone(ApplicationContext context) {
		ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) context
			.getAutowireCapableBeanFactory();
		LockOperationSource source = beans.getBean(LockOperationSource.class);
		Set<String> found = Stream.of(beans.getBeanNamesForType(Object.class, true, false))
			.map((name) -> AutoProxyUtils.determineTargetClass(beans, name))
			.filter(Objects::nonNull)
			.map(ClassUtils::getUserClass)
			.distinct()
			.flatMap((type) -> find(type, source).stream())
			.collect(Collectors.toCollection(TreeSet::new));
		if (!found.isEmpty()) {
			throw new AssertionError(
					"These calls are made on the same object and not on its proxy, so they run WITHOUT the lock:\n  "
							+ String.join("\n  ", found) + "\nMove the method with @DistributedLock to another bean, "
							+ "use LockOperations inside this method, or weave the method with mongo-lock-aspectj.");
		}
	}

	static Set<String> find(Class<?> type, LockOperationSource source) {
		if (!source.isCandidateClass(type)) {
			return Set.of();
		}
		SelfCalls calls = new SelfCalls(type, source);
		if (!calls.locked.isEmpty()) {
			hierarchy(type).forEach((one) -> calls.read(Type.getInternalName(one), one));
		}
		return calls.found;
	}

	private @Nullable List<LockOperation> locks(Method method, Class<?> type) {
		List<LockOperation> locks = (WovenMethods.contains(method)) ? List.of()
				: this.source.getLockOperations(method, type);
		return (locks.isEmpty()) ? null : locks;
	}

	private static Set<Class<?>> hierarchy(Class<?> type) {
		Set<Class<?>> all = new LinkedHashSet<>();
		for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
			all.add(one);
		}
		all.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
		return all;
	}

	/**
	 * Read a class, and the classes inside it.
	 * @param name as in byte code, with slashes
	 * @param self the class of the bean or one of its supertypes: the class to read is
	 * this class, or is inside it
	 */
	private void read(String name, Class<?> self) {
		try (InputStream code = self.getResourceAsStream("/" + name + ClassUtils.CLASS_FILE_SUFFIX)) {
			if (code != null) {
				ClassNode node = new ClassNode();
				new ClassReader(code).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
				new Code(node, self).read();
				node.innerClasses.stream()
					.filter((inner) -> inner.name.startsWith(name + "$"))
					.forEach((inner) -> read(inner.name, self));
			}
		}
		catch (IOException | IllegalArgumentException | AnalyzerException ex) {
			throw new IllegalStateException("Cannot read the byte code of " + name
					+ ". Perhaps the asm library on the class path is too old for the Java version of this class", ex);
		}
	}

	private static String signature(Method method) {
		return method.getName() + Type.getMethodDescriptor(method);
	}

	/**
	 * The caller. For a lambda, this is the method that contains it.
	 *
	 * @param name the class and the method
	 * @param held the locks that it runs under itself
	 */
	private record Caller(String name, List<LockOperation> held) {

	}

	/** The code of one class. */
	private final class Code {

		private final ClassNode node;

		private final Class<?> self;

		private final Set<MethodNode> read = new HashSet<>();

		private final Deque<Lambda> lambdas = new ArrayDeque<>();

		private Code(ClassNode node, Class<?> self) {
			this.node = node;
			this.self = self;
		}

		private void read() throws AnalyzerException {
			BitSet self = new BitSet();
			self.set(0, this.node.name.equals(Type.getInternalName(this.self)));
			for (MethodNode method : this.node.methods) {
				if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC)) == 0) {
					read(new Lambda(method, self, caller(method)));
				}
			}
			while (!this.lambdas.isEmpty()) {
				read(this.lambdas.remove());
			}
		}

		private Caller caller(MethodNode method) {
			boolean local = Type.getInternalName(this.self).equals(this.node.outerClass)
					&& this.node.outerMethod != null;
			String name = (local) ? this.node.outerMethod : method.name;
			String descriptor = (local) ? this.node.outerMethodDesc : method.desc;
			String type = (local) ? this.self.getName() : Type.getObjectType(this.node.name).getClassName();
			return new Caller(type + "." + name, held(name + descriptor));
		}

		private List<LockOperation> held(String signature) {
			return SelfCalls.this.locked.getOrDefault(signature, List.of());
		}

		private void read(Lambda one) throws AnalyzerException {
			if (!this.read.add(one.method())) {
				return;
			}
			Frame<BasicValue>[] frames = new Analyzer<>(new Flow(one.self(), Type.getDescriptor(this.self)))
				.analyze(this.node.name, one.method());
			for (int i = 0; i < frames.length; i++) {
				Frame<BasicValue> frame = frames[i];
				if (frame != null) { // null for unreachable code
					look(one.method().instructions.get(i), frame, one.caller());
				}
			}
		}

		private void look(AbstractInsnNode instruction, Frame<BasicValue> frame, Caller caller) {
			if (instruction instanceof MethodInsnNode call) {
				called(call, frame, caller);
			}
			else if (instruction instanceof InvokeDynamicInsnNode made) {
				Stream.of(made.bsmArgs)
					.filter(Handle.class::isInstance)
					.forEach((handle) -> made((Handle) handle, arguments(made.desc, frame), caller));
			}
		}

		private void called(MethodInsnNode call, Frame<BasicValue> frame, Caller caller) {
			int receiver = frame.getStackSize() - 1 - Type.getArgumentCount(call.desc);
			if (call.getOpcode() != Opcodes.INVOKESTATIC && frame.getStack(receiver) == SELF) {
				boolean ofSuper = call.getOpcode() == Opcodes.INVOKESPECIAL && !call.owner.equals(this.node.name);
				report(caller, call.name, call.desc, (ofSuper) ? ofSuper(call) : held(call.name + call.desc));
			}
		}

		// An overridden method may be called without the lock, if only the override has
		// one
		private List<LockOperation> ofSuper(MethodInsnNode call) {
			Class<?> owner = ClassUtils.resolveClassName(Type.getObjectType(call.owner).getClassName(),
					this.self.getClassLoader());
			return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(owner))
				.filter((method) -> signature(method).equals(call.name + call.desc))
				.findFirst()
				.map((method) -> locks(method, owner))
				.orElse(List.of());
		}

		private void made(Handle handle, List<BasicValue> captured, Caller caller) {
			MethodNode lambda = this.node.methods.stream()
				.filter((method) -> (method.access & Opcodes.ACC_SYNTHETIC) != 0
						&& handle.getOwner().equals(this.node.name) && method.name.equals(handle.getName())
						&& method.desc.equals(handle.getDesc()))
				.findFirst()
				.orElse(null);
			if (lambda != null) {
				BitSet self = new BitSet();
				int local = 0;
				for (BasicValue value : captured) {
					self.set(local, value == SELF);
					local += value.getSize();
				}
				this.lambdas.add(new Lambda(lambda, self, caller));
			}
			else if (handle.getTag() != Opcodes.H_INVOKESTATIC && !captured.isEmpty() && captured.get(0) == SELF) {
				report(caller, handle.getName(), handle.getDesc(), held(handle.getName() + handle.getDesc()));
			}
		}

		private static List<BasicValue> arguments(String descriptor, Frame<BasicValue> frame) {
			int count = Type.getArgumentCount(descriptor);
			return Stream.iterate(frame.getStackSize() - count, (i) -> i + 1)
				.limit(count)
				.map(frame::getStack)
				.toList();
		}

		private void report(Caller caller, String name, String descriptor, List<LockOperation> called) {
			if (!called.stream().allMatch((lock) -> isHeld(lock, caller.held()))) {
				SelfCalls.this.found.add(caller.name() + "() calls " + name + "("
						+ Arrays.stream(Type.getArgumentTypes(descriptor))
							.map((one) -> ClassUtils.getShortName(one.getClassName()))
							.collect(Collectors.joining(", "))
						+ ")");
			}
		}

		// Compares the texts, although the same text can mean another key for other
		// arguments
		private static boolean isHeld(LockOperation called, List<LockOperation> held) {
			return held.stream()
				.anyMatch((own) -> Objects.equals(own.name(), called.name()) && Objects.equals(own.key(), called.key())
						&& Objects.equals(own.document(), called.document())
						&& (own.condition() == null || own.condition().equals(called.condition())));
		}

	}

	/**
	 * A method to read, perhaps one that javac has made from a lambda.
	 *
	 * @param self the local variables that are the object itself at its beginning
	 * @param caller the method that it belongs to
	 */
	private record Lambda(MethodNode method, BitSet self, Caller caller) {

	}

	/** Follows the object through local variables, casts and inner classes. */
	private static final class Flow extends BasicInterpreter {

		private final BitSet self;

		private final String descriptor;

		private Flow(BitSet self, String descriptor) {
			super(ASM9);
			this.self = self;
			this.descriptor = descriptor;
		}

		@Override
		public BasicValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
			return (this.self.get(local)) ? SELF : super.newParameterValue(isInstanceMethod, local, type);
		}

		@Override
		public BasicValue unaryOperation(AbstractInsnNode instruction, BasicValue value) throws AnalyzerException {
			if (instruction.getOpcode() == Opcodes.CHECKCAST) {
				return value;
			}
			return (instruction instanceof FieldInsnNode field && field.getOpcode() == Opcodes.GETFIELD
					&& field.name.startsWith("this$") && field.desc.equals(this.descriptor)) ? SELF
							: super.unaryOperation(instruction, value);
		}

	}

}
