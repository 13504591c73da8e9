/** What only Node has: `import { fileStore } from 'palimpsest/node'`. */

export { fileStore } from './store.js';
