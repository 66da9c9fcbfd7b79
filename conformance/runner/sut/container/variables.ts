/** Variables for a container have this before their name on their way there, so that none of them is one for the program that starts it. */
export const FOR_CONTAINER = 'CONFORM_CONTAINER_';
